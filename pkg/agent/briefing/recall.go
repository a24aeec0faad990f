package briefing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/facts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
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
	query.ByScore = p.MaxLines > 0
	matches := find(index, *query)
	who := session.Conversation{Session: p.Session, Subagent: p.Subagent}
	shown, err := b.Sessions.Shown(ctx, who)
	if err != nil {
		return agentapi.ContextResult{}, err
	}
	shown.Turn.Lock()
	defer shown.Turn.Unlock()
	hint, hintTokens := b.hint(p)
	p.TokenBudget -= b.share(hintTokens)
	told := b.told(index, shown, b.loadedFor(ctx, p))
	news := b.news(matches, p, shown, told)
	b.Look(ctx, p.Root, &news)
	section := b.section(p, title, *query, b.chosen(p, news, told))
	packed := pack.Pack([]pack.Section{section}, pack.ContextLimits(p.TokenBudget, b.SafetyFactor), b.Counter)
	if err := ctx.Err(); err != nil { // the caller has given up, so nothing is shown
		return agentapi.ContextResult{}, fmt.Errorf("recall for a %s: %w", p.Purpose, err)
	}
	b.Sessions.Record(who, p.Purpose, packed.IDs)
	return agentapi.ContextResult{
		Text: hint + packed.Text, Tokens: hintTokens + packed.Tokens, Encoding: b.Counter.Encoding(), Items: len(packed.IDs),
	}, nil
}

// matches are the memories that match a query, each list the best first.
type matches struct {
	rules, facts, others []memory.Memory
	mostRules            int
}

func find(index *Index, q recall.Query) matches {
	m := matches{facts: factsFor(index.Facts, q), mostRules: index.RuleLines()}
	for _, hit := range index.Rules(q) {
		m.rules = append(m.rules, hit.Memory)
	}
	for _, hit := range index.Recall(q) {
		if isAbout(q, hit.Memory) {
			m.others = append(m.others, hit.Memory)
		}
	}
	return m
}

// news are the memories to tell of those that match, without those that the session was
// given already: rules first, then facts, then the rest.
func (b *Briefing) news(found matches, p agentapi.RecallParams, shown *session.Shown, told *told) []memory.Memory {
	isTold := func(m memory.Memory) bool { return shown.Told(m) || told.says(m) }
	isUnsettled := func(m memory.Memory) bool { return b.Sessions.Unsettled(m, p.Session) }
	news := slices.DeleteFunc(found.rules, func(m memory.Memory) bool { return isUnsettled(m) || shown.Knows(m) || isTold(m) })
	news = news[:min(len(news), found.mostRules)]
	for _, some := range [...][]memory.Memory{found.facts, slices.DeleteFunc(found.others, isUnsettled)} {
		before := len(news)
		for _, m := range some {
			if isTold(m) {
				if p.Purpose == agentapi.ForPrompt && len(news) == before {
					break // the best match was given already; the rest match worse
				}
			} else if !shown.Knows(m) {
				news = append(news, m)
			}
		}
	}
	if p.Purpose == agentapi.ForSubagent {
		slices.SortStableFunc(news, func(x, y memory.Memory) int { return afterRules(x) - afterRules(y) })
	}
	if p.MaxLines > 0 {
		news = news[:min(len(news), offered*p.MaxLines)]
	}
	return news
}

// section has the lines of the memories to tell.
func (b *Briefing) section(p agentapi.RecallParams, title string, q recall.Query, memories []memory.Memory) pack.Section {
	section := pack.Section{Title: title, Share: 1, Lines: p.MaxLines}
	switch {
	case isFacts(p, memories):
		section.Title, section.Facts = "", true
	case q.Command != "" && len(memories) > 0 && memories[0].IsModelWritten():
		section.Title = "About this command"
	}
	for _, m := range memories {
		section.Items = append(section.Items, b.item(p, m, section.Facts))
	}
	return section
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

// chosen is the best memories that fit the line limit, if there is one, and the budget;
// those that are only reported come last. It skips memories that are too long, and
// repetitions of lines shown or chosen before.
func (b *Briefing) chosen(p agentapi.RecallParams, best []memory.Memory, told *told) []memory.Memory {
	if p.MaxLines == 0 {
		return told.news(best)
	}
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

// RecallLimit bounds the hits to pack: more than fit into any budget.
const RecallLimit = 40

// mostFactsOfTool bounds the facts that one use of a tool is told: a tool is used often,
// and each is told once.
const mostFactsOfTool = 2

// factsFor are the facts to tell for the next action, the best first.
func factsFor(index *facts.Index, q recall.Query) []memory.Memory {
	var hits []facts.Hit
	switch {
	case q.Text != "":
		hits = index.Prompt(q.Text, q.Task, RecallLimit)
	case len(q.Files) > 0:
		hits = index.File(q.Files[0], q.NewFiles, mostFactsOfTool)
	case q.Command != "":
		hits = index.Command(func(cue string) bool { return q.Runs(shell.Core(cue)) }, mostFactsOfTool)
	}
	found := make([]memory.Memory, len(hits))
	for i, hit := range hits {
		found[i] = hit.Memory
	}
	return found
}

// storeHint asks the model to store a rule or decision of a prompt in its own words,
// which are better than the extracted ones. It has tags of its own, because it is no
// memory.
const storeHint = "<surrealdb-memory-hint>If this rule or decision lasts, store_memory it in one sentence.</surrealdb-memory-hint>\n"

// hintFrom is the salience from which a statement causes a hint: one of twenty prompts
// of a real person has such a statement.
const hintFrom = 0.7

// hint is the hint for a prompt with a salient statement, with its tokens, if it fits
// into the budget; else empty. Text that the prompt asks to keep is kept as written and
// needs none.
func (b *Briefing) hint(p agentapi.RecallParams) (text string, tokens int) {
	if !p.Hint || p.Purpose != agentapi.ForPrompt || p.Subagent != "" {
		return "", 0
	}
	strong := false
	for _, s := range knowledge.Statements(p.Text, knowledge.Context{}) {
		if s.Rule == knowledge.RuleAsked {
			return "", 0
		}
		strong = strong || s.Salience >= hintFrom
	}
	tokens = b.Counter.Count(storeHint)
	if !strong || b.share(tokens) > p.TokenBudget {
		return "", 0
	}
	return storeHint, tokens
}

// share is the tokens as charged to a budget.
func (b *Briefing) share(tokens int) int { return int(math.Ceil(float64(tokens) * b.SafetyFactor)) }

// told is the content that a conversation was shown, or that its client loads. The same
// content in other words, from any memory, is a repetition.
type told struct {
	held   *lru.Cache[string, english.Core] // by memory id, which is derived from the content
	cores  []english.Core
	loaded Loaded
}

// loaded names the file that the client loads and that says a memory; nil: nothing is
// known of such files.
type Loaded func(memory.Memory) string

// says names the file that says a memory; empty if none does. A todo is not said by a
// rule in the same words.
func (l Loaded) Says(m memory.Memory) string {
	if l == nil || m.Kind == memory.KindTodo {
		return ""
	}
	return l(m)
}

// LoadedIn are the texts that the client loads in a place; see Instructions.
func (b *Briefing) LoadedIn(ctx context.Context, root, dir string) Loaded {
	if b.Instructions == nil || root == "" {
		return nil
	}
	return b.Instructions.Said(ctx, root, cmp.Or(dir, root))
}

// told collects the shown memories that are still in the index. No query returns the
// others again.
func (b *Briefing) told(index *Index, shown *session.Shown, loaded Loaded) *told {
	t := &told{held: b.cores, loaded: loaded}
	for _, id := range shown.IDs() {
		if m, has := index.Memory(id); has {
			t.add(m)
		}
	}
	return t
}

func (t *told) add(m memory.Memory) { t.cores = append(t.cores, t.coreOf(m)) }

func (t *told) says(m memory.Memory) bool {
	return t.loaded.Says(m) != "" || slices.ContainsFunc(t.cores, t.coreOf(m).IsSaidBy)
}

// drop removes from lists, which are shared, the memories that the client loads.
func (l Loaded) drop(lists ...*[]memory.Memory) {
	if l == nil {
		return
	}
	for _, list := range lists {
		*list = slices.DeleteFunc(slices.Clone(*list), func(m memory.Memory) bool { return l.Says(m) != "" })
	}
}

// news keeps the memories whose content was not shown yet and is not in an earlier one.
func (t *told) news(memories []memory.Memory) []memory.Memory {
	var news []memory.Memory
	for _, m := range memories {
		if !t.says(m) {
			t.add(m)
			news = append(news, m)
		}
	}
	return news
}

func (t *told) coreOf(m memory.Memory) english.Core {
	core, held := t.held.Get(m.ID)
	if !held {
		core = english.CoreOf(m.Content)
		t.held.Add(m.ID, core)
	}
	return core
}

// withoutRepetition drops the memories of a start that repeat an earlier one.
func (b *Briefing) withoutRepetition(start memory.StartContext) memory.StartContext {
	t := told{held: b.cores}
	for _, memories := range []*[]memory.Memory{&start.Facts, &start.Conventions, &start.Todos, &start.Preferences, &start.Failing} {
		*memories = t.news(*memories)
	}
	return start
}
