package briefing

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/facts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/pack"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/shell"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/start"
)

// Decision is the memories that were weighed for an action: those that it is given first, in
// the order of their lines, then the others, the best first.
type Decision struct {
	Candidates []Candidate
	// AtStart are the ids of the memories that the session started with, in full; set by
	// Decide.
	AtStart []string
	packed  pack.Packed
}

// Candidate is a memory that was weighed for an action.
type Candidate struct {
	Memory memory.Memory
	Score  float64 // compares with others of the same decision only
	Given  bool
	Why    string // it is given, or is not
}

// Given are the candidates that are given, and the others.
func (d Decision) Given() (given, others []Candidate) {
	n := slices.IndexFunc(d.Candidates, func(c Candidate) bool { return !c.Given })
	if n < 0 {
		n = len(d.Candidates)
	}
	return d.Candidates[:n], d.Candidates[n:]
}

// action is the next action of a conversation, as a query to the index of its project.
type action struct {
	agentapi.RecallParams
	index *Index
	query recall.Query
	title string
}

// weighed bounds the candidates of an action: more than fit into any budget.
const weighed = 40

// mostFactsOfTool bounds the facts that one use of a tool is given: a tool is used often,
// and each is given once.
const mostFactsOfTool = 2

// candidates are the memories that fit an action, and others that nearly do.
func (a action) candidates() []Candidate {
	if a.query.Text != "" {
		return a.forText()
	}
	var all []Candidate
	add := func(m memory.Memory, score float64, why string) {
		if !slices.ContainsFunc(all, func(c Candidate) bool { return c.Memory.ID == m.ID }) {
			all = append(all, Candidate{m, score, true, why})
		}
	}
	for _, hit := range a.index.Rules(a.query) {
		add(hit.Memory, hit.Score, hit.Reason())
	}
	if len(a.query.Files) > 0 {
		for _, hit := range a.index.Offered.File(a.query.Files[0], a.query.NewFiles, mostFactsOfTool) {
			add(hit.Memory, hit.Score, "a cue of it names the file")
		}
	} else {
		for _, hit := range a.index.Offered.Commands(append([]string{a.query.Command}, a.query.Chain...), mostFactsOfTool) {
			add(hit.Memory, hit.Score, "a cue of it is the command")
		}
	}
	cured := map[string]bool{}
	for _, hit := range a.exactFirst(a.index.Recall(a.query)) {
		add(hit.Memory, hit.Score, hit.Reason())
		if cure := ingest.CureOf(hit.Memory.Content); cure != "" && all[len(all)-1].Memory.ID == hit.Memory.ID {
			cure = shell.Core(hit.Memory.Command) + "\n" + cure
			if cured[cure] {
				last := &all[len(all)-1]
				last.Given, last.Why = false, "it fits, but another that is given has the same cure"
			}
			cured[cure] = true
		}
	}
	return all
}

// exactFirst are the hits that are about the action, those of the same command and the same
// error before all others: what cured another command may be no cure here.
func (a action) exactFirst(hits []recall.Hit) []recall.Hit {
	hits = slices.DeleteFunc(hits, func(h recall.Hit) bool { return !isAbout(a.query, h.Memory) })
	isOther := func(m memory.Memory) int {
		if a.query.Signature != "" && m.Signature == a.query.Signature && a.query.Runs(shell.Core(m.Command)) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(hits, func(x, y recall.Hit) int { return isOther(x.Memory) - isOther(y.Memory) })
	return hits
}

// forText are the candidates for a prompt or a task: of all memories those that may be
// offered unasked, and the fixes of the commands that a prompt names.
func (a action) forText() []Candidate {
	var all []Candidate
	if !a.query.Task {
		for _, m := range a.index.Fixes(commandsIn(a.query.Text)) {
			all = append(all, Candidate{m, m.Importance, true, "the prompt names the command that it is the fix of"})
		}
	}
	weigh := a.index.Offered.Prompt
	if a.query.Explain {
		weigh = a.index.Offered.Explain
	}
	for _, hit := range weigh(a.query.Text, a.query.Task, a.query.Limit) {
		all = append(all, candidateOf(hit))
	}
	return all
}

func candidateOf(hit facts.Hit) Candidate { return Candidate{hit.Memory, hit.Score, hit.Fits, hit.Why} }

// isAbout says whether a memory is about the given command or error, or file, if there is one:
// a memory of another command, or of another file of the same name, would mislead.
func isAbout(q recall.Query, m memory.Memory) bool {
	if q.Command == "" {
		return len(q.Files) == 0 || !isOfNamesake(m, q.Files[0])
	}
	return q.Runs(shell.Core(m.Command)) || q.Signature != "" && m.Signature == q.Signature
}

// isOfNamesake says whether a memory names files of the name of a file, and all of them are
// in other folders.
func isOfNamesake(m memory.Memory, file string) bool {
	isNamesake := false
	for _, word := range slices.Concat(m.Files, strings.Fields(m.Content)) {
		word = path.Clean(strings.Trim(word, "`'\"“”‘’()[],;:!?."))
		switch {
		case path.Base(word) != path.Base(file):
		case word == file || strings.HasSuffix(file, "/"+word) || strings.HasSuffix(word, "/"+file):
			return false
		default:
			isNamesake = true
		}
	}
	return isNamesake
}

// decide weighs the candidates of an action against the context of its conversation.
func (b *Briefing) decide(ctx context.Context, a action, shown *session.Shown) Decision {
	told := b.told(a.index, shown, b.loadedFor(ctx, a.RecallParams))
	all := a.candidates()
	var fitting []memory.Memory
	for i := range all {
		c := &all[i]
		if !c.Given {
			continue
		}
		if why := b.isKnown(c.Memory, a, shown, told); why != "" {
			c.Given, c.Why = false, why
			continue
		}
		fitting = append(fitting, c.Memory)
	}
	b.Look(ctx, a.Root, &fitting)
	var sections []pack.Section
	var left map[string]string
	if a.Purpose == agentapi.ForSubagent && !looksAround(a.Text) {
		sections = start.ForTask(b.standing(ctx, a.RecallParams, shown), fitting, told.news, b.Counter)
	} else {
		if a.Purpose == agentapi.ForSubagent {
			slices.SortStableFunc(fitting, func(x, y memory.Memory) int { return afterRules(x) - afterRules(y) })
		}
		var chosen []memory.Memory
		chosen, left = b.chosen(a.RecallParams, fitting, told)
		sections = []pack.Section{b.section(a, chosen)}
	}
	packed := pack.Pack(sections, pack.ContextLimits(a.TokenBudget, b.SafetyFactor), b.Counter)
	return Decision{Candidates: ordered(all, packed.IDs, left), packed: packed}
}

// isKnown says why a conversation needs no memory that fits; empty: it does.
func (b *Briefing) isKnown(m memory.Memory, a action, shown *session.Shown, told *told) string {
	switch {
	case shown.Told(m):
		return "it fits, and the session has it in its context, in full"
	case told.loaded.Says(m) != "":
		return "it fits, but " + told.loaded.Says(m) + " says it, and the client loads that"
	case told.says(m):
		return "it fits, but a memory in the session's context says the same"
	case shown.Knows(m):
		return "it fits, but it is from this session"
	case b.Sessions.Unsettled(m, a.Session):
		return "it fits, but the turn that it is from has not ended"
	case b.isGone(a.Root, m):
		gone, _ := b.gone(a.Root, m)
		return "it fits, but " + gone.Name + " is gone from the checkout"
	default:
		return ""
	}
}

// ordered puts the candidates that were packed before the others, and sets the reasons of
// those that were left out.
func ordered(all []Candidate, packed []string, left map[string]string) []Candidate {
	place := func(c Candidate) int {
		if at := slices.Index(packed, c.Memory.ID); at >= 0 && c.Given {
			return at
		}
		return len(packed)
	}
	for i := range all {
		if c := &all[i]; c.Given && place(*c) == len(packed) {
			c.Given, c.Why = false, left[c.Memory.ID]
			if c.Why == "" {
				c.Why = noRoom
			}
		}
	}
	slices.SortStableFunc(all, func(x, y Candidate) int { return place(x) - place(y) })
	return all
}

const noRoom = "it fits, but the token budget has no room for it"

// section has the lines of the memories to give.
func (b *Briefing) section(a action, memories []memory.Memory) pack.Section {
	section := pack.Section{Title: a.title, Share: 1, Lines: a.MaxLines}
	switch {
	case isFacts(a.RecallParams, memories):
		section.Title, section.Facts = "", true
	case a.query.Command != "" && len(memories) > 0 && memories[0].IsFact():
		section.Title = "About this command"
	}
	for _, m := range memories {
		section.Items = append(section.Items, b.item(a.RecallParams, m, section.Facts))
	}
	return section
}

// loadedFor are the texts that the client loads for the session or its subagent.
// Subagents that only look around get none of them.
func (b *Briefing) loadedFor(ctx context.Context, p agentapi.RecallParams) Loaded {
	if p.Purpose == agentapi.ForSubagent && looksAround(p.Text) {
		return nil
	}
	return b.LoadedIn(ctx, p.Client, p.Root, p.Dir, p.Subagent != "" || p.Purpose == agentapi.ForSubagent)
}

// chosen is the best memories that fit the line limit, if there is one, and the budget;
// those that are only reported come last. It leaves out memories that are too long, and
// repetitions of lines shown or chosen before, each with the reason.
func (b *Briefing) chosen(p agentapi.RecallParams, best []memory.Memory, told *told) (chosen []memory.Memory, left map[string]string) {
	left = map[string]string{}
	room := int(float64(p.TokenBudget)/b.SafetyFactor) - pack.FrameTokens(b.Counter)
	for _, m := range best {
		tokens := 0
		if p.MaxLines > 0 { // else the budget alone decides, line by line
			tokens = b.item(p, m, false).Tokens
		}
		switch {
		case p.MaxLines > 0 && len(chosen) == p.MaxLines:
			left[m.ID] = fmt.Sprintf("it fits, but others fit better, and a prompt is given at most %d", p.MaxLines)
		case p.MaxLines > 0 && tokens > room:
			left[m.ID] = noRoom
		case told.says(m):
			left[m.ID] = "it fits, but another that is given says the same"
		default:
			chosen = append(chosen, m)
			told.add(m)
			room -= tokens
		}
	}
	if p.MaxLines > 0 {
		slices.SortStableFunc(chosen, func(x, y memory.Memory) int { return hearsay(x) - hearsay(y) })
	}
	return chosen, left
}

// afterRules is 0 for rules of the user, else 1: a subagent does not see the
// conversation, and must follow the rules above all.
func afterRules(m memory.Memory) int {
	if m.IsHearsay() || !m.Kind.IsRule() {
		return 1
	}
	return 0
}

func hearsay(m memory.Memory) int {
	if m.IsHearsay() {
		return 1
	}
	return 0
}

// isFacts tells whether a prompt is given facts alone: then their common header is written
// once.
func isFacts(p agentapi.RecallParams, fitting []memory.Memory) bool {
	return p.Purpose == agentapi.ForPrompt && len(fitting) > 0 &&
		!slices.ContainsFunc(fitting, func(m memory.Memory) bool { return !m.IsFact() })
}

// longestReport is the most bytes of a report in a prompt's line; docs/lab/recall.md has the
// costs of other lengths.
const longestReport = 300

// item renders a memory for the purpose. A prompt's line contains the id to ask for
// more, so it does not need the whole of a report.
func (b *Briefing) item(p agentapi.RecallParams, m memory.Memory, amongFacts bool) pack.Item {
	var line string
	switch {
	case p.Purpose != agentapi.ForPrompt:
		line = render.ToolLine(m)
	case amongFacts:
		line = render.PromptFactLine(m, b.Now())
	default:
		if m.IsHearsay() {
			m.Content = knowledge.CutCard(m.Content, longestReport)
		}
		line = render.PromptLine(m, b.Now())
	}
	return pack.NewItem(m.ID, line, b.Counter)
}
