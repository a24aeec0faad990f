package answers

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/briefing"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/pack"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/start"
)

// reviewing are the methods of this file.
func (a *Answers) reviewing() []agentapi.Handler {
	return []agentapi.Handler{
		agentapi.MethodReview.Handle(a.Review),
		agentapi.MethodCensus.Handle(a.Census),
		agentapi.MethodGraph.Handle(a.Graph),
		agentapi.MethodPreview.Handle(a.Preview),
	}
}

// mostLooked bounds the memories that one review looks for rules in, because the rules
// read each text: some 0.1 ms.
const mostLooked = 300

// Review is the queue of the memories that rules kept, the latest first, with people's
// verdicts on the earlier ones.
func (a *Answers) Review(ctx context.Context, p agentapi.OfProject) (agentapi.ReviewResult, error) {
	index, err := a.Briefing.Index(ctx, p.Project)
	if err != nil {
		return agentapi.ReviewResult{}, err
	}
	all := slices.DeleteFunc(index.Memories(), func(m memory.Memory) bool {
		return m.Project != p.Project || !briefing.IsOfARule(m) || slices.Contains(m.Tags, memory.TagConfirmed)
	})
	slices.SortFunc(all, func(x, y memory.Memory) int { return cmp.Or(latestFirst(x, y), cmp.Compare(x.ID, y.ID)) })
	result := agentapi.ReviewResult{Items: []agentapi.ReviewItem{}, Rules: []agentapi.RuleVerdict{}}
	limit := min(max(p.Limit, 1), mostFound)
	guesses, err := a.Briefing.Verdicts.Unasked(ctx, all[:min(len(all), mostLooked)])
	if err != nil {
		return result, err
	}
	for _, m := range guesses {
		rule := briefing.RuleOf(m)
		if rule == "" {
			continue
		}
		if len(result.Items) == limit {
			result.More = true
			break
		}
		result.Items = append(result.Items, agentapi.ReviewItem{Memory: a.Briefing.Count(m), Rule: rule})
	}
	rules, err := a.Briefing.Verdicts.ByRule(ctx)
	if err != nil {
		return result, err
	}
	for _, rule := range slices.Sorted(maps.Keys(rules)) {
		result.Rules = append(result.Rules, rules[rule])
	}
	return result, nil
}

// Census counts the memories that recall can find.
func (a *Answers) Census(ctx context.Context, p agentapi.OfProject) (agentapi.Census, error) {
	census := agentapi.Census{
		Kinds: map[memory.Kind]int{}, Types: map[memory.Type]int{}, Scopes: map[memory.Scope]int{},
		Tokens: map[memory.Scope]int{},
		Days:   []agentapi.CensusDay{},
	}
	index, err := a.Briefing.Index(ctx, p.Project)
	if err != nil {
		return census, err
	}
	learned := map[string]int{}
	for _, m := range index.Memories() {
		census.Kinds[m.Kind]++
		census.Types[m.Type]++
		census.Scopes[m.Scope]++
		census.Tokens[m.Scope] += m.TokenCount
		learned[m.CreatedAt.UTC().Format(time.DateOnly)]++
	}
	for _, day := range slices.Sorted(maps.Keys(learned)) {
		census.Days = append(census.Days, agentapi.CensusDay{Day: day, Learned: learned[day]})
	}
	return census, nil
}

// mostReplaced bounds the archived and the merged memories that are searched for replaced
// ones.
const mostReplaced = 200

// Graph shows how the files, fixes and corrections of a project are connected, from the index and
// from the rows archived last.
func (a *Answers) Graph(ctx context.Context, p agentapi.OfProject) (agentapi.Graph, error) {
	result := agentapi.Graph{Files: []agentapi.GraphFile{}, Memories: []agentapi.GraphMemory{}}
	index, err := a.Briefing.Index(ctx, p.Project)
	if err != nil {
		return result, err
	}
	replaced, err := a.replaced(ctx, p.Project)
	if err != nil {
		return result, err
	}
	named := map[string]int{}
	var all []agentapi.GraphMemory
	for _, m := range index.Memories() {
		m.Files = slices.DeleteFunc(slices.Clone(m.Files), func(file string) bool { return !isFile(m, file) })
		for _, file := range m.Files {
			named[file]++
		}
		if len(m.Files)+len(replaced[m.ID]) > 0 {
			all = append(all, agentapi.GraphMemory{Memory: m, Replaced: replaced[m.ID]})
		}
	}
	// A memory about files that others are about, too, connects more than one about many
	// files that nobody else names.
	weight := func(m agentapi.GraphMemory) int {
		n := 2 * len(m.Replaced)
		for _, file := range m.Memory.Files {
			n += min(named[file]-1, 5)
		}
		if m.Memory.Kind == memory.KindFix {
			n++
		}
		return n
	}
	slices.SortFunc(all, func(x, y agentapi.GraphMemory) int {
		return cmp.Or(weight(y)-weight(x), latestFirst(x.Memory, y.Memory), cmp.Compare(x.Memory.ID, y.Memory.ID))
	})
	limit := min(max(p.Limit, 1), mostFound, len(all))
	result.Left = len(all) - limit
	shown := map[string]bool{}
	for _, m := range all[:limit] {
		m.Memory = a.Briefing.Count(m.Memory)
		result.Memories = append(result.Memories, m)
		for _, file := range m.Memory.Files {
			shown[file] = true
		}
	}
	for _, file := range slices.Sorted(maps.Keys(shown)) {
		result.Files = append(result.Files, agentapi.GraphFile{Path: file, Memories: named[file]})
	}
	slices.SortStableFunc(result.Files, func(x, y agentapi.GraphFile) int { return y.Memories - x.Memories })
	return result, nil
}

// isFile reports whether a name among the files of a memory is a file: prose names branches (origin/main), packages
// (example.com/p) and alternatives (and/or) in the same form. A file compared when the memory was stated has a
// fingerprint.
func isFile(m memory.Memory, name string) bool {
	if _, wasSeen := m.Fingerprints[name]; wasSeen || m.Source == memory.SourceTool {
		return true
	}
	if strings.ContainsAny(name, " :?*") || strings.HasSuffix(name, "/") {
		return false
	}
	base := path.Base(name)
	if slices.Contains(filesWithoutEnding, base) {
		return true
	}
	ending := strings.TrimPrefix(path.Ext(base), ".")
	hasLetter := strings.IndexFunc(ending, unicode.IsLetter) >= 0
	return hasLetter && (strings.Contains(name, "/") || !slices.Contains(hostEndings, ending))
}

var (
	filesWithoutEnding = []string{
		"Makefile", "Dockerfile", "Jenkinsfile", "Procfile", "Gemfile", "Rakefile",
		"Vagrantfile", "LICENSE", "README", "CHANGELOG", "CODEOWNERS",
	}
	hostEndings = []string{"com", "org", "net", "dev", "io"}
)

// replaced are the corrected and merged memories among those archived last, by the id of
// the memory that replaced them.
func (a *Answers) replaced(ctx context.Context, project string) (map[string][]memory.Memory, error) {
	by := map[string][]memory.Memory{}
	for _, status := range []memory.Status{memory.StatusArchived, memory.StatusConsolidated} {
		page, _, err := a.page(ctx, project, status, "", mostReplaced)
		if err != nil {
			return nil, err
		}
		for _, one := range page {
			if to := cmp.Or(one.SupersededBy, one.MergedInto); to != "" {
				by[to] = append(by[to], one.Memory)
			}
		}
	}
	return by, nil
}

// Preview is the answer that SessionContext would give to a new session, with all
// candidates for it. It notes nothing as shown.
func (a *Answers) Preview(ctx context.Context, p agentapi.PreviewParams) (agentapi.PreviewResult, error) {
	rows, err := a.Briefing.Next(ctx, p.Project)
	if err != nil {
		return agentapi.PreviewResult{}, err
	}
	budget := briefing.BudgetOf(rows, p.TokenBudget)
	packed, offered := pack.Preview(start.Sections(rows, a.Counter), pack.ContextLimits(budget), a.Counter)
	result := agentapi.PreviewResult{
		Text: packed.Text, Tokens: packed.Tokens, Encoding: a.Counter.Encoding(),
		Budget: budget, Lines: []agentapi.PreviewLine{},
	}
	memories := map[string]memory.Memory{}
	for _, m := range slices.Concat(rows.Todos, rows.Conventions, rows.Failing, rows.Preferences, rows.Facts) {
		memories[m.ID] = m
	}
	for _, one := range offered {
		_, isMemory := memories[one.ID]
		result.Lines = append(result.Lines, agentapi.PreviewLine{
			ID: one.ID, Session: !isMemory, Section: one.Section, Line: one.Line, Tokens: one.Tokens,
			Injected: one.Taken, Why: a.whyOffered(one, memories),
		})
	}
	return result, nil
}

// whyOffered gives the reasons for a line's rank, and for its omission.
func (a *Answers) whyOffered(c pack.Candidate, memories map[string]memory.Memory) string {
	why := "an earlier session"
	if m, isMemory := memories[c.ID]; isMemory {
		age := int(a.Now().Sub(m.LastSeenAt).Hours() / 24)
		why = fmt.Sprintf("importance %.2f, last seen %d days ago", m.Importance, age)
		switch {
		case m.Pinned:
			why = fmt.Sprintf("pinned, importance %.2f", m.Importance)
		case age == 0:
			why = fmt.Sprintf("importance %.2f, last seen today", m.Importance)
		case age == 1:
			why = fmt.Sprintf("importance %.2f, last seen yesterday", m.Importance)
		}
	}
	switch {
	case c.Taken:
		return why
	case c.Named:
		return why + "; named by its title, in full it had no room"
	case c.Crowded:
		return why + "; its section has all the lines it may have"
	}
	return why + "; no room is left for its tokens"
}
