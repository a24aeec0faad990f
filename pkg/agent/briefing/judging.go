package briefing

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy"
)

// Verdicts are people's verdicts on the memories that rules extracted, over all projects: a rule is
// the same everywhere. They are stored as tags of the memories, so one that is undone no longer
// counts. Its methods are safe for concurrent use.
type Verdicts struct {
	Store memory.RowReader
	Log   *slog.Logger
	Now   func() time.Time
	// Shared is set if agents of other machines may write to the store.
	Shared bool

	mu     sync.Mutex
	judged map[string]judgement // by memory; nil until it is read
	readAt time.Time
}

// judgement is the verdict on a memory. Rule is empty for one that no rule kept.
type judgement struct {
	rule      string
	confirmed bool
}

func judgementOf(m memory.Memory) (judgement, bool) {
	rejected, confirmed := slices.Contains(m.Tags, memory.TagRejected), slices.Contains(m.Tags, memory.TagConfirmed)
	if !rejected && !confirmed || !IsOfARule(m) {
		return judgement{}, false
	}
	return judgement{RuleOf(m), confirmed && !rejected}, true
}

// ByRule is how people judged, by the name of the rule.
func (v *Verdicts) ByRule(ctx context.Context) (map[string]agentapi.RuleVerdict, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.judged == nil || v.Shared && v.Now().Sub(v.readAt) >= indexAge {
		all, err := memory.Memories(ctx, v.Store, memory.Judged{})
		if err != nil {
			return nil, err
		}
		guesses, err := v.Unasked(ctx, all)
		if err != nil {
			return nil, err
		}
		v.judged, v.readAt = map[string]judgement{}, v.Now()
		for _, m := range guesses {
			if one, isJudged := judgementOf(m); isJudged {
				v.judged[m.ID] = one
			}
		}
	}
	rules := map[string]agentapi.RuleVerdict{}
	for _, one := range v.judged {
		if one.rule == "" {
			continue
		}
		r := rules[one.rule]
		r.Rule = one.rule
		if one.confirmed {
			r.Confirmed++
		} else {
			r.Rejected++
		}
		rules[one.rule] = r
	}
	for name, r := range rules {
		r.Weight = policy.VerdictWeight(r.Confirmed, r.Rejected)
		rules[name] = r
	}
	return rules, nil
}

// refresh has the verdicts read again if a written memory has one, or had one: the
// stored row was merged from the written memory and an earlier row.
func (v *Verdicts) refresh(written []memory.Memory) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, m := range written {
		_, was := v.judged[m.ID]
		if _, is := judgementOf(m); was || is {
			v.judged = nil
			return
		}
	}
}

// forget drops the cached verdicts.
func (v *Verdicts) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.judged = nil
}

// Weigh lowers the importance of new memories whose rule people mostly rejected, see
// policy.VerdictWeight; the memories that a person asked for keep theirs. If the verdicts
// cannot be read, nothing is lowered.
func (v *Verdicts) Weigh(ctx context.Context, memories []memory.Memory, asked []string) {
	if !slices.ContainsFunc(memories, IsOfARule) {
		return
	}
	rules, err := v.ByRule(ctx)
	if err != nil {
		v.Log.Debug("people's verdicts on rules could not be read", "error", err)
		return
	}
	maps.DeleteFunc(rules, func(_ string, r agentapi.RuleVerdict) bool { return r.Weight == 1 })
	if len(rules) == 0 {
		return
	}
	for i, m := range memories {
		if !IsOfARule(m) || slices.Contains(asked, m.ID) {
			continue
		}
		if r, isLowered := rules[RuleOf(m)]; isLowered {
			memories[i].Importance *= r.Weight
		}
	}
}

// Unasked returns those of some memories that no person asked to be kept, in their order.
func (v *Verdicts) Unasked(ctx context.Context, memories []memory.Memory) ([]memory.Memory, error) {
	asked := map[string]bool{}
	for some := range slices.Chunk(memories, 1000) {
		ids := make([]string, len(some))
		for i, m := range some {
			ids[i] = m.ID
		}
		rows, err := v.Store.Rows(ctx, memory.WithIDs(ids))
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			asked[row.Memory.ID] = row.UserWritten
		}
	}
	return slices.DeleteFunc(slices.Clone(memories), func(m memory.Memory) bool { return asked[m.ID] }), nil
}

// IsOfARule reports whether a rule may have extracted a memory without a request.
func IsOfARule(m memory.Memory) bool {
	return m.Kind.UserAuthored() && m.Source == memory.SourceUser || m.IsConclusion()
}

// RuleOf is the name of the rule that extracted a memory's text; empty if somebody asked for
// the memory.
func RuleOf(m memory.Memory) string {
	found := knowledge.Statements(m.Content, knowledge.Context{LastWords: m.Detail}) // a short answer is found with the text that it answers
	switch {
	case m.IsConclusion():
		found = knowledge.Conclusions(m.Content)
	case len(found) == 0: // it was found among other sentences
		found = knowledge.Finder{AsWorded: true}.Statements(m.Content, knowledge.Context{})
	}
	if len(found) == 0 {
		return ""
	}
	return found[0].Rule
}
