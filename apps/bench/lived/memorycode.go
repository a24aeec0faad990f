package lived

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/memstore"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// The orders in which the sessions of MemoryCode are distilled.
const (
	OrderEnded   = "ended"    // each as it ends
	OrderAll     = "all"      // at once, as memory distill --all does
	OrderCatchUp = "catch-up" // at once, by the agent
)

// mentoring is a dialogue of MemoryCode (ACL 2025): in some sessions a mentor states rules among small talk, and changes some.
type mentoring struct {
	name     string
	sessions [][]turn
	valid    []string            // rules that hold in the end
	changed  map[string][]string // rules that do not, by the one that replaced them
}

type turn struct {
	isMentor bool
	text     string
}

// Rules counts what becomes of the rules of dialogues in the next start. A rule is in a line that has 70 % of its words and each
// of its literals.
type Rules struct {
	Dialogues, Valid, ValidThere, Outdated, OutdatedThere, Below, Lines, GoodLines int
	Tokens                                                                         []int
}

// MemoryCode lives the dialogues in a folder, one project each, and looks at the next start of each; with the file of a model's
// recorded answers, the sessions are distilled in an order.
func MemoryCode(ctx context.Context, dir, answered, order string) (r Rules, err error) {
	all, err := mentorings(dir)
	if err != nil {
		return r, err
	}
	counter, err := tokens.New(config.Default().Tokens.Encoding)
	if err != nil {
		return r, err
	}
	now := mentoringBegins.AddDate(1, 0, 0)
	o := agent.Options{Store: memstore.New(), Counter: counter, Config: config.Default(), Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }}
	var model *answers
	if answered != "" {
		if model, err = loadAnswers(answered); err != nil {
			return r, err
		}
		o.Config.Distill = unlimited(o.Config.Distill)
		o.Config.Distill.CatchUp, o.Model = 10_000, model
		if order != OrderCatchUp {
			o.Config.Distill.CatchUp = 0
		}
	}
	a := agent.New(o)
	if err := liveMentorings(ctx, a, all, model, order); err != nil {
		return r, err
	}
	if _, err := a.Upkeep.Consolidate(ctx, agentapi.ConsolidateParams{Trigger: "manual"}); err != nil {
		return r, err
	}
	for _, d := range all {
		start, err := a.Briefing.SessionContext(ctx, agentapi.SessionContextParams{
			Project: d.name, Session: "next-" + d.name, Source: "startup", TokenBudget: o.Config.Hooks.SessionStart.TokenBudget,
		})
		if err != nil {
			return r, err
		}
		var lines []string
		for line := range strings.Lines(start.Text) {
			if strings.HasPrefix(line, "- ") {
				lines = append(lines, line)
			}
		}
		r.judge(d, lines, start.Tokens)
	}
	return r, nil
}

var mentoringBegins = time.Date(2026, 10, 1, 9, 0, 0, 0, time.UTC)

// liveMentorings imports the sessions of all dialogues in the order in which they ended, and has them distilled.
func liveMentorings(ctx context.Context, a *agent.Agent, all []mentoring, model *answers, order string) error {
	var ids []string
	distil := func(id string) error {
		if model == nil {
			return nil
		}
		model.session = id
		_, err := a.Distiller.Distill(ctx, agentapi.DistillParams{Session: id})
		return err
	}
	for n := range slices.MaxFunc(all, func(x, y mentoring) int { return len(x.sessions) - len(y.sessions) }).sessions {
		for _, d := range all {
			if n >= len(d.sessions) {
				continue
			}
			id := uuid.NewSHA1(uuid.NameSpaceURL, fmt.Appendf(nil, "%s-%d", d.name, n)).String()
			if _, err := a.Intake.Import(ctx, agentapi.ImportParams{Events: d.events(n, id)}); err != nil {
				return err
			}
			if ids = append(ids, id); order == OrderEnded {
				if err := distil(id); err != nil {
					return err
				}
			}
		}
	}
	switch {
	case model == nil:
	case order == OrderAll:
		backlog, err := a.Distiller.Estimate(ctx, agentapi.DistillEstimateParams{Sessions: len(ids), Backlog: true})
		for _, id := range backlog.Pending {
			err = cmp.Or(err, distil(id))
		}
		return err
	case order == OrderCatchUp:
		model.session = ""
		a.Distiller.Work(ctx)
		a.Distiller.Wait()
	}
	return nil
}

// events are those of a session, two days after the one before it.
func (d mentoring) events(n int, id string) (all []memory.Event) {
	at := mentoringBegins.AddDate(0, 0, 2*n)
	add := func(e memory.Event) {
		at = at.Add(40 * time.Second)
		e.ID, e.At, e.Session, e.Project, e.Dir = memory.NewEventID(at), at, id, memory.Project{Key: d.name, Name: d.name, Root: "/" + d.name}, "/"+d.name
		all = append(all, e)
	}
	for _, t := range d.sessions[n] {
		if t.isMentor {
			add(memory.Event{Kind: memory.EventPrompt, Prompt: t.text})
		} else {
			add(memory.Event{Kind: memory.EventTurnEnded, Text: t.text})
		}
	}
	add(memory.Event{Kind: memory.EventSessionEnded, Reason: "other"})
	return all
}

var (
	// A sentence is told by one of these words to be a rule: the plain baseline.
	lastingWord = regexp.MustCompile(`(?i)\b(always|never|from now on|going forward|must|make sure|don't ever|no longer|anymore|any more|in future|convention|we (use|don't|do not|want|prefer)|i (prefer|want|don't want|'d prefer)|instead of|should (always|never|not|be)|shouldn't|on purpose|by design)\b`)
	sentenceEnd = regexp.MustCompile(`[.!?]\s+`)
)

// PlainMemoryCode is the baseline: the mentor's sentences with one of some words, the newest first, up to a number of tokens.
func PlainMemoryCode(dir string, budget int) (r Rules, err error) {
	all, err := mentorings(dir)
	for _, d := range all {
		var said, lines []string
		for _, turns := range d.sessions {
			for _, t := range turns {
				text := sentenceEnd.ReplaceAllStringFunc(t.text, func(end string) string { return end[:1] + "\n" })
				for sentence := range strings.Lines(text) {
					sentence = strings.TrimSpace(sentence)
					if t.isMentor && lastingWord.MatchString(sentence) && !strings.HasSuffix(sentence, "?") && len(sentence) < 400 {
						said = append(said, sentence)
					}
				}
			}
		}
		used := 0
		for _, sentence := range slices.Backward(said) {
			cost := len(sentence)/4 + 8
			if used+cost > budget {
				break
			}
			used += cost
			lines = append(lines, sentence)
		}
		r.judge(d, lines, used)
	}
	return r, err
}

// judge looks for the rules of a dialogue in the lines of its next start.
func (r *Rules) judge(d mentoring, lines []string, tokens int) {
	at := func(rule string) int { return slices.IndexFunc(lines, func(l string) bool { return hasRule(l, rule) }) }
	r.Dialogues, r.Tokens, r.Lines = r.Dialogues+1, append(r.Tokens, tokens), r.Lines+len(lines)
	for _, rule := range d.valid {
		r.Valid, r.ValidThere = r.Valid+1, r.ValidThere+count(at(rule) >= 0)
	}
	for newer, all := range d.changed {
		for _, older := range all {
			o, n := at(older), at(newer)
			r.Outdated, r.OutdatedThere, r.Below = r.Outdated+1, r.OutdatedThere+count(o >= 0), r.Below+count(n >= 0 && n < o)
		}
	}
	for _, l := range lines {
		r.GoodLines += count(slices.ContainsFunc(d.valid, func(rule string) bool { return hasRule(l, rule) }))
	}
}

// Write prints the figures, in per cent.
func (r Rules) Write(out io.Writer) error {
	share := func(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }
	slices.Sort(r.Tokens)
	_, err := fmt.Fprintf(out, "%d dialogues, %d valid rules, %d outdated, %d lines\n"+
		"  valid in the next start: %.1f\n  outdated in the next start: %.1f; of these below their successor: %.1f\n  lines that are a valid rule: %.1f; tokens, median: %d\n",
		r.Dialogues, r.Valid, r.Outdated, r.Lines, share(r.ValidThere, r.Valid), share(r.OutdatedThere, r.Outdated), share(r.Below, r.OutdatedThere),
		share(r.GoodLines, r.Lines), append(r.Tokens, 0)[len(r.Tokens)/2])
	return err
}
