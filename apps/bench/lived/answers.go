package lived

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/recallset"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// answers is a model that answers with recorded answers, one session per line. Its answer has the facts of the
// session whose quotes are in the question.
type answers struct {
	sessions map[string]recordedSession
	order    []string // session ids, as recorded
	facts    map[string]recordedFact
	// carriers maps a labelled fact to the normalised beginnings of the recorded facts that contain it; titles maps
	// it to their titles.
	carriers, titles map[string][]string

	session string // the session that is being distilled
	results []daemonapi.DistillResult
}

type recordedSession struct {
	Session string
	Summary map[string]string
	Facts   []recordedFact
}

type recordedFact struct {
	ID         string
	Kind, Text string
	Quotes     []string
	Cues       []string
	Everywhere bool
	Importance int
	Supersedes string
	Ends       []string // further facts that this one ends
	Title      string
	Area       string
}

// carrierLength is the length of a recorded fact's beginning, in bytes. A line with the beginning contains the fact.
const carrierLength = 60

// loadAnswers reads a recording. The file beside it that ends in .map.json says which labelled facts each recorded
// fact contains.
func loadAnswers(file string) (*answers, error) {
	all, err := recallset.ReadLines[recordedSession](file)
	if err != nil {
		return nil, err
	}
	a := &answers{sessions: map[string]recordedSession{}, facts: map[string]recordedFact{}, carriers: map[string][]string{}, titles: map[string][]string{}}
	for _, s := range all {
		a.sessions[s.Session], a.order = s, append(a.order, s.Session)
		for _, f := range s.Facts {
			a.facts[f.ID] = f
		}
	}
	text, err := os.ReadFile(strings.TrimSuffix(file, ".jsonl") + ".map.json")
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read which facts are carried: %w", err)
	}
	carried := map[string][]string{}
	if err := json.Unmarshal(text, &carried); err != nil {
		return nil, fmt.Errorf("read which facts are carried: %w", err)
	}
	for label, ids := range carried {
		for _, id := range ids {
			fact, recorded := a.facts[id]
			if !recorded {
				continue
			}
			a.carriers[label] = append(a.carriers[label], beginning(fact.Text))
			if title := plain(fact.Title); title != "" {
				a.titles[label] = append(a.titles[label], title)
			}
		}
	}
	return a, nil
}

// beginning returns the beginning of a fact's text by which a line is known to contain the fact.
func beginning(text string) string {
	text = plain(text)
	return text[:min(len(text), carrierLength)]
}

func (a *answers) Ask(_ context.Context, q distill.Question) (distill.Reply, error) {
	asked := plain(ofSession(q.Prompt))
	recorded := a.about(asked)
	summary := map[string]string{}
	for _, field := range []string{"request", "investigated", "learned", "completed", "next_steps"} {
		summary[field] = recorded.Summary[field]
	}
	facts := []map[string]any{}
	for _, f := range recorded.Facts {
		if stands(f, asked) {
			facts = append(facts, a.answer(f, q.Prompt))
		}
	}
	reply := map[string]any{"summary": summary, "facts": facts}
	if !bytes.Contains(q.Schema, []byte(`"summary"`)) { // the question is not about a session
		reply = map[string]any{"facts": []any{}}
	}
	text, err := json.Marshal(reply)
	if err != nil {
		return distill.Reply{}, fmt.Errorf("write a recorded answer: %w", err)
	}
	return distill.Reply{Text: text}, nil // the daemon estimates the cost
}

// ofSession returns the part of a prompt that is about the session. The standing facts before it may contain words of
// other sessions.
func ofSession(prompt string) string {
	if at := strings.LastIndex(prompt, "<session"); at >= 0 {
		return prompt[at:]
	}
	return prompt
}

// about returns the recorded session that a question is about: the session being distilled, if it has no facts or one
// of its quotes is in the question, else the session with most quotes in the question.
func (a *answers) about(asked string) recordedSession {
	standing := func(s recordedSession) (n int) {
		for _, f := range s.Facts {
			n += count(stands(f, asked))
		}
		return n
	}
	best, known := a.sessions[a.session]
	if known && (len(best.Facts) == 0 || standing(best) > 0) {
		return best
	}
	most := 0
	for _, id := range a.order {
		if n := standing(a.sessions[id]); n > most {
			best, most = a.sessions[id], n
		}
	}
	return best
}

// stands reports whether a question contains a quote of a fact.
func stands(f recordedFact, asked string) bool {
	const enough = 80
	for _, quote := range f.Quotes {
		if quote = plain(quote); strings.Contains(asked, quote[:min(len(quote), enough)]) {
			return true
		}
	}
	return false
}

// answer returns a fact in the form of the schema. It names the superseded fact if the question shows it.
func (a *answers) answer(f recordedFact, prompt string) map[string]any {
	fact := map[string]any{
		"text": f.Text, "kind": f.Kind, "quotes": f.Quotes, "cues": f.Cues, "everywhere": f.Everywhere,
		"importance": cmp.Or(f.Importance, 2), "title": f.Title, "area": f.Area, "about": "", "relation": "",
	}
	switch f.Kind {
	case "discovery":
		fact["kind"] = "finding"
	case "context":
		fact["kind"] = "note"
	}
	if id := a.shown(f.Supersedes, prompt); id != "" {
		fact["about"], fact["relation"] = id, "supersedes"
	}
	ends := []string{}
	for _, ended := range f.Ends {
		if id := a.shown(ended, prompt); id != "" {
			ends = append(ends, id)
		}
	}
	fact["ends"] = ends
	return fact
}

// shown returns the id of the line of a question that shows a recorded fact, or "".
func (a *answers) shown(fact, prompt string) string {
	old, known := a.facts[fact]
	if !known {
		return ""
	}
	shown := []string{beginning(old.Text)}
	if title := plain(old.Title); title != "" {
		shown = append(shown, title)
	}
	for line := range strings.Lines(prompt) {
		if id, _, named := strings.Cut(line, " "); named && isCarried(shown, newQuoted(line)) {
			return id
		}
	}
	return ""
}

// unlimited returns the settings without limits, except the limit of a call, which decides the parts.
func unlimited(c config.Distill) config.Distill {
	c.Enabled, c.SessionTokens, c.DayTokens = true, 1<<40, 1<<40
	return c
}

// distil distils the ended sessions that have recorded answers.
func (h *home) distil(ctx context.Context, ended []importer.Transcript) error {
	if h.answers == nil {
		return nil
	}
	for _, t := range ended {
		if _, recorded := h.answers.sessions[t.Session]; !recorded {
			continue
		}
		h.answers.session = t.Session
		result, err := h.daemon.Distiller.Distill(ctx, daemonapi.DistillParams{Session: t.Session})
		if err != nil {
			return fmt.Errorf("distil %s: %w", t.Session, err)
		}
		h.answers.results = append(h.answers.results, result)
	}
	return nil
}

func (h *home) distilled() []daemonapi.DistillResult {
	if h.answers == nil {
		return nil
	}
	return h.answers.results
}

// isCarried reports whether a line contains one of the texts.
func isCarried(texts []string, l line) bool {
	for _, text := range texts {
		if strings.Contains(l.text, text) {
			return true
		}
	}
	return false
}
