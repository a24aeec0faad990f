package distill

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

// Input is a session to distil, with its context.
type Input struct {
	Record   memory.SessionRecord
	Standing []memory.Row        // memories of the project that may be shown
	Clean    func(string) string // removes secrets; nil keeps texts as they are
	Counter  memory.TokenCounter
	Budget   int // tokens of one call, including the answer
}

// Parts splits a session at its compactions, and where a part would exceed the budget. For a running session it returns only the
// parts before the last compaction. It leaves out rejected sentences; a part that was answered before the rejection stays done.
func (in Input) Parts() []Part {
	sources, gone := in.sources(), in.rejected()
	parts := in.partsOf(gone.without(sources))
	if len(gone.texts) > 0 {
		before := in.partsOf(sources)
		for i := range parts {
			parts[i].Done = parts[i].Done || len(before) == len(parts) && before[i].Done
		}
	}
	return parts
}

func (in Input) partsOf(sources []Source) (parts []Part) {
	room := in.Budget - MostOutput - Overhead
	for _, fixed := range []string{system, instructions, string(schema), sessionBegins, sessionEnds} {
		room -= in.count(fixed)
	}
	for _, stretch := range in.stretches(sources) {
		parts = append(parts, in.split(stretch, room)...)
	}
	answered := answers(in.Record)
	for i := range parts {
		_, parts[i].Done = answered[parts[i].Key]
	}
	return parts
}

// stretches returns the sources between compactions, and, if the session is over, the sources after the last
// compaction. The client's summary of a compaction is not a source: it describes the work, not the facts worth keeping.
func (in Input) stretches(sources []Source) [][]Source {
	var all [][]Source
	for _, e := range in.Record.SessionEvents {
		if e.Kind != memory.EventCompacted && e.Kind != memory.EventCompacting {
			continue
		}
		before := 0
		for before < len(sources) && !sources[before].At.After(e.At) {
			before++
		}
		if before > 0 {
			all = append(all, sources[:before])
		}
		sources = sources[before:]
	}
	if len(sources) > 0 && in.Record.Session.State.IsOver() {
		all = append(all, sources)
	}
	return all
}

// split groups sources into parts that fit into room tokens, some of which are reserved for standing memories. It adds the token
// counts of the sources: a joined text never has more tokens than its parts. It cuts a source that is too long alone.
func (in Input) split(sources []Source, room int) []Part {
	var parts []Part
	used, most := 0, room-in.reserved(room)
	for _, s := range sources {
		n := in.count(s.text(len(sources)))
		for n > most && len(s.User)+len(s.Assistant)+len(s.Plan) > minSource {
			for _, text := range []*string{&s.User, &s.Assistant, &s.Plan} {
				*text = memory.Cut(*text, len(*text)*3/4)
			}
			s.Files, s.Failures = s.Files[:len(s.Files)/2], s.Failures[:len(s.Failures)/2]
			n = in.count(s.text(len(sources)))
		}
		if len(parts) == 0 || used+n > most && used > 0 {
			parts, used = append(parts, Part{}), 0
		}
		last := &parts[len(parts)-1]
		last.Sources = append(last.Sources, s)
		used += n
	}
	for i := range parts {
		text := textOf(parts[i].Sources)
		parts[i].Key = keyOf(parts[i].Sources)
		standing := index{rows: in.Standing, session: in.Record.Session.ID, ends: parts[i].At(), clean: in.clean, count: in.count}
		parts[i].Standing, parts[i].Areas = standing.about(text, in.reserved(room))
	}
	return parts
}

// rejected returns the texts of the session's memories that were rejected.
func (in Input) rejected() rejected {
	var texts, standing []string
	for _, seen := range in.Record.Seen {
		switch text := memory.OneLine(in.clean(seen.Memory.Content)); {
		case text == "":
		case !seen.Memory.IsRejected():
			standing = append(standing, text)
		case !slices.Contains(texts, text):
			texts = append(texts, text)
		}
	}
	return rejectedOf(texts, standing)
}

// Since returns the part without what was rejected since it was made, according to a later reading of its session.
func (p Part) Since(later Input) Part {
	p.gone = later.rejected()
	p.Sources = p.gone.without(p.Sources)
	p.Key = keyOf(p.Sources)
	return p
}

func keyOf(sources []Source) string {
	hash := sha256.Sum256([]byte(textOf(sources)))
	return hex.EncodeToString(hash[:8])
}

// sources returns the turns of a session, and the statements that are missing in a turn because it was cut, sorted by time.
func (in Input) sources() []Source {
	all := withPlans(withPrompts(turnsOf(in.Record), in.Record.Prompts), in.Record)
	for i := range all {
		s := &all[i]
		s.User, s.Written, s.Plan = in.clean(s.User), in.clean(s.Written), in.clean(s.Plan)
		s.Assistant = in.clean(memory.Cut(strings.TrimSpace(s.Assistant), maxLastWords))
		s.Files = memory.Each(s.Files, func(file string) string { return memory.OneLine(in.clean(file)) })
	}
	in.addFailures(all)
	return in.withStatements(all)
}

// turnsOf returns the turns of a session that have a result: the assistant's last words or edited files. A turn begins with a
// prompt, and prompts such as "continue" belong to the turn before.
func turnsOf(record memory.SessionRecord) []Source {
	var turns []Source
	for _, p := range slices.SortedStableFunc(slices.Values(record.Prompts), func(x, y memory.Prompt) int { return x.At.Compare(y.At) }) {
		if typed, isTyped := knowledge.Typed(p.Text); !isTyped || !language.IsContinuation(typed) || len(turns) == 0 {
			turns = append(turns, Source{At: p.At})
		}
	}
	for _, e := range record.SessionEvents {
		switch at := lastBefore(turns, e.At); {
		case at < 0:
		case e.Kind == memory.EventTurnEnded && strings.TrimSpace(e.Text) != "":
			turns[at].Assistant = e.Text
		case e.Kind == memory.EventFileChanged:
			turns[at].Files = memory.AddNew(turns[at].Files, e.Files...)
		}
	}
	return slices.DeleteFunc(turns, func(s Source) bool { return s.Assistant == "" && len(s.Files) == 0 })
}

// withPrompts adds prompts to their turns. A prompt before all turns, or in a turn without a result, becomes a source
// of its own, so that the model reads everything that the user typed.
func withPrompts(turns []Source, prompts []memory.Prompt) []Source {
	var alone []Source
	for _, p := range prompts {
		if knowledge.AcceptedPlan(p.Text) != "" { // written by the assistant
			continue
		}
		at := lastBefore(turns, p.At)
		written := knowledge.Written(p.Text)
		if at >= 0 && (turns[at].User == "" || len(turns[at].User)+len(p.Text) < maxPrompt) {
			turns[at].User = memory.Cut(strings.TrimSpace(turns[at].User+"\n"+p.Text), maxPrompt)
			turns[at].Written = strings.TrimSpace(turns[at].Written + "\n" + written)
		} else if _, isTyped := knowledge.Typed(p.Text); isTyped {
			alone = append(alone, Source{At: p.At, User: memory.Cut(p.Text, maxPrompt), Written: written})
		}
	}
	return inOrder(turns, alone)
}

// withPlans adds accepted plans to the turns in which the user accepted them, because they often have the only
// reasons for the work. Some clients report a plan as an event, others as a prompt.
func withPlans(turns []Source, record memory.SessionRecord) []Source {
	var alone []Source
	add := func(at time.Time, plan string) {
		if plan == "" || slices.ContainsFunc(slices.Concat(turns, alone),
			func(s Source) bool { return contains(s.Plan, memory.Cut(plan, maxPlan)) }) {
			return
		}
		if i := lastBefore(turns, at); i >= 0 && turns[i].Plan == "" {
			turns[i].Plan = memory.Cut(plan, maxPlan)
			return
		}
		alone = append(alone, Source{At: at, Plan: memory.Cut(plan, maxPlan)})
	}
	for _, e := range record.SessionEvents {
		if e.Kind == memory.EventPlanAccepted {
			add(e.At, strings.TrimSpace(e.Text))
		}
	}
	for _, p := range record.Prompts {
		add(p.At, knowledge.AcceptedPlan(p.Text))
	}
	return inOrder(turns, alone)
}

// addFailures adds failed commands and their fixes to the turns in which they failed.
func (in Input) addFailures(turns []Source) {
	for _, e := range in.Record.SessionEvents {
		if e.Kind == memory.EventCommandFailed {
			in.addFailure(turns, e.At, e.Text+" "+e.Detail, nil)
		}
	}
	for _, seen := range in.Record.Seen {
		if m := seen.Memory; m.Kind == memory.KindFix && !m.IsRejected() && !m.IsFact() {
			in.addFailure(turns, seen.At, m.Content+" "+m.Detail, []string{m.ID})
		}
	}
}

func (in Input) addFailure(turns []Source, at time.Time, text string, memories []string) {
	i := lastBefore(turns, at)
	if i < 0 || len(turns[i].Failures) == maxFailures {
		return
	}
	if text = in.clean(memory.Cut(memory.OneLine(text), maxFailure)); !slices.Contains(turns[i].Failures, text) {
		turns[i].Failures = append(turns[i].Failures, text)
		turns[i].Memories = append(turns[i].Memories, memories...)
	}
}

// inOrder returns the sources of two lists, sorted by time.
func inOrder(turns, more []Source) []Source {
	return slices.SortedStableFunc(slices.Values(slices.Concat(turns, more)), func(a, b Source) int { return a.At.Compare(b.At) })
}

func lastBefore(sources []Source, at time.Time) int {
	for i := len(sources) - 1; i >= 0; i-- {
		if !sources[i].At.After(at) {
			return i
		}
	}
	return -1
}

// quoted matches a quotation in a statement: the question of a dialog that the user answered.
var quoted = regexp.MustCompile("“[^”]*”")

// withStatements adds the id of each statement of the user to the turn that shows the statement. A statement that no
// turn shows becomes a source of its own.
func (in Input) withStatements(turns []Source) []Source {
	var more []Source
	for _, seen := range in.Record.Seen {
		m := seen.Memory
		if m.Source != memory.SourceUser || !m.Kind.IsUserAuthored() || m.IsRejected() {
			continue
		}
		content := in.clean(m.Content)
		if at := lastBefore(turns, seen.At); at >= 0 && contains(turns[at].User, content) {
			if !slices.Contains(turns[at].Memories, m.ID) {
				turns[at].Memories = append(turns[at].Memories, m.ID)
			}
			continue
		}
		more = append(more, Source{At: seen.At, Memories: []string{m.ID}, User: content, Written: quoted.ReplaceAllString(content, "")})
	}
	return inOrder(turns, more)
}

// reserved returns the number of tokens reserved for standing memories, at most a fifth of the call. It does not
// depend on their number, so that the keys of parts stay the same.
func (in Input) reserved(room int) int { return min(in.Budget/5, room/3) }

// clean returns a text as the model is shown it: without secrets, and with imitated turns and tags disarmed. A quote in
// an answer is looked for in this form.
func (in Input) clean(text string) string {
	if in.Clean != nil && text != "" {
		text = in.Clean(text)
	}
	return defuse.Text(text)
}

func (in Input) count(text string) int { return in.Counter.Count(text) }

// answers returns the stored answers of a session's parts, by key.
func answers(record memory.SessionRecord) map[string]memory.Distilled {
	all := map[string]memory.Distilled{}
	for _, e := range record.SessionEvents {
		if e.Kind != memory.EventDistilled {
			continue
		}
		if d, err := memory.DistilledOf(e.Text); err == nil {
			all[d.Part] = d
		}
	}
	return all
}

// Facts returns the number of facts that may still be kept of the session.
func (in Input) Facts() int {
	left := MostFacts
	for _, d := range answers(in.Record) {
		left -= d.Kept
	}
	return max(0, left)
}
