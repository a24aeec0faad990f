package ingest

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// cards makes one memory of each turn of a session: the request, the last words, the
// edited files. It makes turns searchable from which no statement or conclusion was
// extracted. Texts that a prompt asked to keep are left out: they are memories of their
// own. Prompts such as "continue" join the turn before.
func cards(a memory.SessionRecord) []draft {
	var all []draft
	for _, t := range turnsOf(a) {
		text := knowledge.Card(t.content)
		content := knowledge.Gist(t.content.LastWords) != "" || t.content.LastWords != "" && len(t.content.Files) > 0
		if text == "" || !content && !informs(t.content) || strings.Join(t.content.Prompts, "") == "" {
			continue // no result, or everything is kept already
		}
		if slices.ContainsFunc(all, func(d draft) bool { return d.Content == text }) {
			continue
		}
		of := inSession(a, t.id, t.at)
		of.Fingerprints = t.prints
		all = append(all, draft{of: of, isExtracted: true, Memory: memory.Memory{
			Kind: memory.KindTurn, Content: text, Detail: t.content.LastWords, Files: t.content.Files,
		}})
	}
	return all
}

// fewestWords is the length of a prompt that informs: shorter ones answer or go on.
const fewestWords = 4

// informs reports whether a turn has no result because its prompts asked for nothing: "btw the tests need
// redis on 6380", answered "Understood.". Nothing was edited and nothing failed, no prompt is a
// question, and none has a statement that is kept by itself.
func informs(t knowledge.Turn) bool {
	words := 0
	for _, prompt := range t.Prompts {
		if strings.HasSuffix(strings.TrimSpace(prompt), "?") || len(knowledge.Statements(prompt, knowledge.Context{})) > 0 {
			return false
		}
		words += len(strings.Fields(prompt))
	}
	return t.LastWords != "" && len(t.Files) == 0 && t.Failed == "" && words >= fewestWords
}

// openQuestion is the question with which a session that is over has ended. Earlier ones
// were answered by the prompt after them.
func openQuestion(a memory.SessionRecord) []draft {
	var last memory.SessionEvent
	for _, event := range a.SessionEvents {
		if event.Kind == memory.EventTurnEnded && event.At.After(last.At) {
			last = event
		}
	}
	for _, p := range a.Prompts {
		if _, typed := knowledge.Typed(p.Text); typed && p.At.After(last.At) {
			return nil
		}
	}
	var all []draft
	for _, s := range knowledge.Conclusions(last.Text) {
		if s.Rule == knowledge.RuleQuestion {
			all = append(all, conclusion(inSession(a, last.ID, last.At), s))
		}
	}
	return all
}

// turn is the events from one prompt to the next.
type turn struct {
	id      string // of the event that began it
	at      time.Time
	content knowledge.Turn
	// prints are the fingerprints of the edited files, as the turn left them.
	prints map[string]string
}

// turnsOf splits a session at its prompts, in order of time.
func turnsOf(a memory.SessionRecord) []turn {
	prompts := slices.SortedStableFunc(slices.Values(a.Prompts), func(x, y memory.Prompt) int { return x.At.Compare(y.At) })
	var turns []turn
	for _, p := range prompts {
		if typed, isTyped := knowledge.Typed(p.Text); isTyped && knowledge.GoOn(typed) && len(turns) > 0 {
			turns[len(turns)-1].content.Prompts = append(turns[len(turns)-1].content.Prompts, p.Text)
			continue
		}
		turns = append(turns, turn{p.ID, p.At, knowledge.Turn{Prompts: []string{knowledge.OwnWords(p.Text)}}, map[string]string{}})
	}
	// of is the turn that contains a time.
	of := func(at time.Time) *turn {
		for i := len(turns) - 1; i >= 0; i-- {
			if !turns[i].at.After(at) {
				return &turns[i]
			}
		}
		return nil
	}
	for _, m := range a.SessionEvents {
		if t := of(m.At); t != nil && m.Kind == memory.EventTurnEnded && strings.TrimSpace(m.Text) != "" {
			t.content.LastWords = m.Text
		}
	}
	for _, seen := range a.Seen {
		t := of(seen.At)
		if t == nil || seen.Memory.Kind != memory.KindEdit {
			continue
		}
		t.edited(seen.Memory)
	}
	return turns
}

// edited adds the files of an edit.
func (t *turn) edited(edit memory.Memory) {
	for _, file := range edit.Files {
		if !slices.Contains(t.content.Files, file) {
			t.content.Files = append(t.content.Files, file)
		}
		delete(t.prints, file) // an earlier edit left it otherwise
	}
	maps.Copy(t.prints, edit.Fingerprints)
}
