package answers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// nearlyAsGood is the share of the best score from which a sentence counts as equally good. The newest of these ranks first,
// because words show what a sentence is about, but not which of two sentences still holds.
const nearlyAsGood = 0.6

// union returns hits, followed by the others that are not in hits.
func union(hits, others []memory.Hit) []memory.Hit {
	for _, other := range others {
		if !slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Memory.ID == other.Memory.ID }) {
			hits = append(hits, other)
		}
	}
	return hits
}

// findSaid searches the sentences of prompts, without those that are memories in gone, and ranks them with the hits that are the user's own
// words. It returns the facts first, then the user's words (of nearly equal ones the newest first), then the other hits.
func findSaid(p daemonapi.FindParams, hits []memory.Hit, records []memory.SessionRecord, gone []memory.Memory) []memory.Hit {
	index := recall.NewIndex(recall.DefaultWeights())
	var facts, own, rest []memory.Hit
	kept := map[string]bool{} // set of the texts in own
	for _, hit := range hits {
		switch m := hit.Memory; {
		case m.IsFact():
			facts = append(facts, hit)
		case m.IsUsersWord():
			own, kept[m.Content] = append(own, hit), true
			index.Put(recall.Entry{Memory: m})
		default:
			rest = append(rest, hit)
		}
	}
	for _, record := range records {
		for _, prompt := range record.Prompts {
			for i, text := range knowledge.Sentences(prompt.Text) {
				isGone := func(m memory.Memory) bool {
					return strings.HasSuffix(text, m.Content) && !prompt.At.After(m.LastSeenAt)
				}
				if kept[text] || slices.ContainsFunc(gone, isGone) { // its memory is in the index
					continue
				}
				index.Put(recall.Entry{Memory: memory.Memory{
					ID: fmt.Sprintf("%s %d", prompt.ID, i), Project: prompt.Project, Session: prompt.Session, Kind: memory.KindTurn,
					Type: memory.TypeEpisodic, Scope: memory.ScopeProject, Status: memory.StatusActive, Source: memory.SourceUser,
					Content: text, CreatedAt: prompt.At, LastSeenAt: prompt.At,
				}})
			}
		}
	}
	p.Limit = mostFound
	return union(slices.Concat(facts, said(index.Recall(queryOf(p)))), slices.Concat(own, rest))
}

// withoutTakenBack returns hits without sentences of prompts from which a memory was made that somebody has forgotten, edited or replaced,
// and without sessions that would be shown with such a sentence. A sentence whose memory has faded stays.
func (a *Answers) withoutTakenBack(ctx context.Context, project string, hits []memory.Hit) ([]memory.Hit, error) {
	isSentence := func(h memory.Hit) bool { return h.Memory.Kind == memory.KindTurn && h.Memory.Content != "" }
	if !slices.ContainsFunc(hits, isSentence) {
		return hits, nil
	}
	gone, err := a.Briefing.TakenBack(ctx, project, mostStored)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(hits, func(h memory.Hit) bool {
		shown := h.Memory.Content + "\n" + h.Memory.Detail
		return isSentence(h) && slices.ContainsFunc(gone, func(m memory.Memory) bool {
			return strings.Contains(shown, m.Content) || strings.Contains(m.Content, h.Memory.Content)
		})
	}), nil
}

// corrections returns hits with the user's newer words that may correct one above it.
func (a *Answers) corrections(ctx context.Context, project string, hits []memory.Hit) ([]memory.Hit, error) {
	index, err := a.Briefing.Index(ctx, project)
	if err != nil {
		return nil, err
	}
	return a.Briefing.NewestFirst(hits, index.UsersWords()), nil
}

func queryOf(p daemonapi.FindParams) recall.Query {
	return recall.Query{Text: p.Text, Files: p.Files, Kinds: p.Kinds, Limit: p.Limit}
}

// ranked returns the memories that answer a question, the best first. Without a question it returns all memories of the wanted kinds.
func ranked(p daemonapi.FindParams, all []memory.Memory) (hits []memory.Hit) {
	index := recall.NewIndex(recall.DefaultWeights())
	for _, m := range all {
		index.Put(recall.Entry{Memory: m})
		if len(p.Kinds) == 0 || slices.Contains(p.Kinds, m.Kind) {
			hits = append(hits, memory.Hit{Memory: m, Share: 1})
		}
	}
	if p.Text == "" && len(p.Files) == 0 {
		return hits
	}
	return index.Recall(queryOf(p))
}

// findEvents returns the edits, commands and last words of sessions that answer a question, the best first. If some share a word with
// the question, other than a stop word, it ranks only these: ranking a project's tens of thousands takes a hundred times as long.
func findEvents(p daemonapi.FindParams, records []memory.SessionRecord) []memory.Hit {
	words := slices.Collect(maps.Keys(stemsOf(p.Text)))
	all := eventsOf(records)
	named := slices.DeleteFunc(slices.Clone(all), func(m memory.Memory) bool {
		text := strings.ToLower(textOf(m))
		return !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
	})
	if len(named) > 0 {
		all = named
	}
	p.Limit = mostFound
	return ranked(p, all)
}

// mostRequest is the maximum number of bytes shown of a session's first prompt, or of an answer.
const mostRequest = 300

// eventsOf returns the edits, commands and last words of sessions in the form of memories.
func eventsOf(records []memory.SessionRecord) (all []memory.Memory) {
	for _, record := range records {
		for _, e := range record.SessionEvents {
			if e.Text == "" || !e.IsActivity() && e.Kind != memory.EventTurnEnded {
				continue
			}
			m := memory.Memory{
				ID: e.ID, Project: record.Session.Project, Session: e.Session, Kind: memory.KindTurn, Type: memory.TypeEpisodic,
				Scope: memory.ScopeProject, Status: memory.StatusActive, Source: memory.SourceTool, Content: e.Text, Detail: e.Detail,
				Files: e.Files, Command: e.Command, CreatedAt: e.At, LastSeenAt: e.At,
			}
			if !e.IsActivity() {
				m.Source, m.Content = memory.SourceAssistant, memory.CutWords(memory.OneLine(e.Text), mostRequest)
				m.Detail = e.Text
			}
			all = append(all, m)
		}
	}
	return all
}

// said drops sentences that are part of one before them. It puts those with nearly the best score first, the newest of them first.
func said(found []memory.Hit) (hits []memory.Hit) {
	alike := 0
	for alike < len(found) && found[alike].Score >= nearlyAsGood*found[0].Score {
		alike++
	}
	slices.SortStableFunc(found[:alike], func(x, y memory.Hit) int { return y.Memory.LastSeenAt.Compare(x.Memory.LastSeenAt) })
	for _, hit := range found {
		if slices.ContainsFunc(hits, func(h memory.Hit) bool { return strings.Contains(h.Memory.Content, hit.Memory.Content) }) {
			continue
		}
		hit.Memory.ID, _, _ = strings.Cut(hit.Memory.ID, " ")
		hits = append(hits, hit)
	}
	return hits
}

// textOf returns the texts of a memory that a question is about.
func textOf(m memory.Memory) string {
	return strings.Join(slices.Concat([]string{m.Content, m.Detail, m.Command}, m.Tags, m.Files), "\n")
}

// stemsOf returns the set of the stems of a text's words, without stop words.
func stemsOf(text string) map[string]bool {
	stems := map[string]bool{}
	for _, token := range english.Tokenize(text) {
		stems[token.Term] = true
	}
	return stems
}
