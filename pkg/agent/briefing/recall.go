package briefing

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/pack"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/shell"
)

// Recall packs the memories relevant to the next action, without those that the session
// was given already.
func (b *Briefing) Recall(ctx context.Context, p agentapi.RecallParams) (agentapi.ContextResult, error) {
	query, title, err := b.query(p)
	if err != nil || query == nil {
		return agentapi.ContextResult{Encoding: b.Counter.Encoding()}, err
	}
	index, err := b.Index(ctx, p.Project)
	if errors.Is(err, errLoading) { // the next action is told more
		return agentapi.ContextResult{Encoding: b.Counter.Encoding()}, nil
	}
	if err != nil {
		return agentapi.ContextResult{}, err
	}
	query.Near = b.Near(ctx, p.Project, query.Text)
	hint, hintTokens := b.hint(p)
	p.TokenBudget -= b.share(hintTokens)
	who := session.Conversation{Session: p.Session, Subagent: p.Subagent}
	shown, err := b.Sessions.Shown(ctx, who)
	if err != nil {
		return agentapi.ContextResult{}, err
	}
	shown.Turn.Lock()
	defer shown.Turn.Unlock()
	section := pack.Section{Title: title, Share: 1, Lines: p.MaxLines}
	query.ByScore = p.MaxLines > 0
	told := b.told(index, shown, b.loadedFor(ctx, p))
	fitting := b.fitting(index, *query, p, shown, told)
	if p.Purpose == agentapi.ForSubagent {
		slices.SortStableFunc(fitting, func(x, y memory.Memory) int { return afterRules(x) - afterRules(y) })
	}
	if p.MaxLines > 0 {
		fitting = fitting[:min(len(fitting), offered*p.MaxLines)]
	}
	b.Look(ctx, p.Root, &fitting)
	if p.MaxLines > 0 {
		fitting = b.chosen(p, fitting, told)
	} else {
		fitting = told.news(fitting)
	}
	switch {
	case isFacts(p, fitting):
		section.Title, section.Facts = "", true
	case query.Command != "" && len(fitting) > 0 && fitting[0].IsModelWritten():
		section.Title = "About this command"
	}
	for _, m := range fitting {
		section.Items = append(section.Items, b.item(p, m, section.Facts))
	}
	packed := pack.Pack([]pack.Section{section}, pack.ContextLimits(p.TokenBudget, b.SafetyFactor), b.Counter)
	if err := ctx.Err(); err != nil { // the caller has given up, so nothing is shown
		return agentapi.ContextResult{}, fmt.Errorf("recall for a %s: %w", p.Purpose, err)
	}
	b.Sessions.Record(who, p.Purpose, packed.IDs)
	return agentapi.ContextResult{
		Text: hint + packed.Text, Tokens: hintTokens + packed.Tokens, Encoding: b.Counter.Encoding(), Items: len(packed.IDs),
	}, nil
}

// fitting are the memories that fit a query and that the session was not given already:
// rules first, then facts, then the rest.
func (b *Briefing) fitting(index *Index, query recall.Query, p agentapi.RecallParams, shown *session.Shown, told *told) []memory.Memory {
	isTold := func(m memory.Memory) bool { return shown.Told(m) || told.says(m) }
	var fitting []memory.Memory
	for _, hit := range Rules(index, query, func(m memory.Memory) bool {
		return b.Sessions.Unsettled(m, p.Session) || shown.Knows(m) || isTold(m)
	}) {
		fitting = append(fitting, hit.Memory)
	}
	var recalled []memory.Memory
	for _, hit := range index.Recall(query) {
		if isAbout(query, hit.Memory) && !b.Sessions.Unsettled(hit.Memory, p.Session) {
			recalled = append(recalled, hit.Memory)
		}
	}
	for _, some := range [...][]memory.Memory{factsFor(index.Facts, query), recalled} {
		found := len(fitting)
		for _, m := range some {
			if isTold(m) {
				if p.Purpose == agentapi.ForPrompt && len(fitting) == found {
					break // the best match was given already; the rest match worse
				}
			} else if !shown.Knows(m) {
				fitting = append(fitting, m)
			}
		}
	}
	return fitting
}

// loadedFor are the texts that the client loads for the session or its subagent.
// Subagents that only look around get none of them.
func (b *Briefing) loadedFor(ctx context.Context, p agentapi.RecallParams) Loaded {
	if p.Purpose == agentapi.ForSubagent && (p.Text == "Explore" || p.Text == "Plan") {
		return nil
	}
	return b.LoadedIn(ctx, p.Root, p.Dir)
}

// Rules are the user's rules for the type of work that a prompt or a task asks for, as
// far as they are news.
func Rules(index *Index, q recall.Query, isOld func(memory.Memory) bool) []recall.Hit {
	news := slices.DeleteFunc(index.Rules(q), func(hit recall.Hit) bool { return isOld(hit.Memory) })
	return news[:min(len(news), index.RuleLines())]
}

// WouldTell are those of a prompt's hits, the best first, that a new session would be told.
func (b *Briefing) WouldTell(index *Index, best []memory.Memory) []memory.Memory {
	if b.Prompt.MaxLines <= 0 {
		return best
	}
	asked := agentapi.RecallParams{Purpose: agentapi.ForPrompt, TokenBudget: b.Prompt.TokenBudget, MaxLines: b.Prompt.MaxLines}
	return b.chosen(asked, best, b.told(index, new(session.Shown), nil))
}

// chosen is the best memories that fit the line limit and the budget; those that are only
// reported come last. It skips memories that are too long, and repetitions of lines shown
// or chosen before.
func (b *Briefing) chosen(p agentapi.RecallParams, best []memory.Memory, told *told) []memory.Memory {
	var chosen []memory.Memory
	room := int(float64(p.TokenBudget)/b.SafetyFactor) - pack.FrameTokens(b.Counter)
	for _, m := range best {
		if tokens := b.item(p, m, false).Tokens; len(chosen) < p.MaxLines && tokens <= room && !told.says(m) {
			chosen = append(chosen, m)
			told.add(m)
			room -= tokens
		}
	}
	slices.SortStableFunc(chosen, func(x, y memory.Memory) int { return hearsay(x) - hearsay(y) })
	return chosen
}

// afterRules is 0 for rules of the user, else 1: a subagent does not see the
// conversation, and must follow the rules above all.
func afterRules(m memory.Memory) int {
	if m.IsHearsay() || !slices.Contains(ruleKinds, m.Kind) {
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

// isFacts tells whether a prompt is told facts alone: then their common header is written
// once.
func isFacts(p agentapi.RecallParams, fitting []memory.Memory) bool {
	return p.Purpose == agentapi.ForPrompt && len(fitting) > 0 &&
		!slices.ContainsFunc(fitting, func(m memory.Memory) bool { return !m.IsModelWritten() })
}

// offered is the number of memories considered for each line.
const offered = 3

// longestReport is the most bytes of a report in a prompt's line; docs/lab/recall.md has the
// costs of other lengths.
const longestReport = 300

// item renders a memory for the purpose. A prompt's line contains the id to ask for
// more, so it does not need the whole of a report.
func (b *Briefing) item(p agentapi.RecallParams, m memory.Memory, amongFacts bool) pack.Item {
	if p.Purpose == agentapi.ForPrompt {
		if amongFacts {
			return pack.NewItem(m.ID, render.PromptFactLine(m, b.Now()), b.Counter)
		}
		if m.IsHearsay() {
			m.Content = knowledge.CutCard(m.Content, longestReport)
		}
		return pack.NewItem(m.ID, render.PromptLine(m, b.Now()), b.Counter)
	}
	return pack.NewItem(m.ID, render.ToolLine(m), b.Counter)
}

// isAbout tells whether a memory is about the given command or error, if there is one: a
// memory of another command would mislead.
func isAbout(q recall.Query, m memory.Memory) bool {
	return q.Command == "" || q.Runs(shell.Core(m.Command)) || q.Signature != "" && m.Signature == q.Signature
}

// query makes the query for the next action; nil if there is nothing to ask.
func (b *Briefing) query(p agentapi.RecallParams) (*recall.Query, string, error) {
	q := recall.Query{Now: b.Now(), Limit: RecallLimit, Unasked: true}
	switch p.Purpose {
	case agentapi.ForPrompt:
		q.Text = p.Text
		return &q, "What is remembered that may fit", nil
	case agentapi.ForRead:
		q.Files = []string{p.File}
		q.Kinds = fileKinds
		return &q, "About " + defuse.Name(p.File), nil
	case agentapi.ForWrite:
		q.Files = []string{p.File}
		q.Kinds = ruleKinds
		return &q, "Before changing " + defuse.Name(p.File), nil
	case agentapi.ForCreate:
		q.Files, q.NewFiles = []string{p.File}, true
		q.Kinds = ruleKinds
		return &q, "Before making " + defuse.Name(p.File), nil
	case agentapi.ForCommand:
		cores := shell.Cores(p.Command)
		q.Command, q.Chain = cores[0], cores[1:]
		q.Kinds = failureKinds
		return &q, "This command failed before", nil
	case agentapi.ForFailure:
		cores := shell.Cores(p.Command)
		q.Command, q.Chain = cores[0], cores[1:]
		q.Signature = memory.ErrorSignature(p.Text)
		q.Kinds = []memory.Kind{memory.KindFix}
		return &q, "What made it work before", nil
	case agentapi.ForSubagent:
		task := b.Sessions.TakeTask(p.Session, p.Text)
		if task == "" {
			return nil, "", nil
		}
		q.Text, q.Task = task, true
		return &q, "What is remembered that may fit this task", nil
	}
	return nil, "", fmt.Errorf("recall for %q: there is no such purpose: %w", p.Purpose, memory.ErrInvalid)
}

// The kinds shown when a file is read, when a file is changed, and when a command is
// run.
var (
	fileKinds = []memory.Kind{
		memory.KindNote, memory.KindDecision, memory.KindConvention, memory.KindCorrection, memory.KindTodo, memory.KindFix,
		memory.KindDiscovery,
	}
	ruleKinds    = []memory.Kind{memory.KindConvention, memory.KindCorrection, memory.KindDecision, memory.KindPreference}
	failureKinds = []memory.Kind{memory.KindFix, memory.KindFailure}
)
