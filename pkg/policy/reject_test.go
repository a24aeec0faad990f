package policy_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy"
)

const concludedText = "The session commands must come back, because two scripts need them."

// conclusion is a conclusion of an assistant, correction a user's answer to it.
func conclusion(r *policy.Row) {
	r.Memory.Kind, r.Memory.Tags, r.Memory.Source = memory.KindDiscovery, []string{memory.TagConclusion, "note"}, memory.SourceAssistant
}

func correction(answers string) func(*policy.Row) {
	return func(r *policy.Row) {
		r.Memory.Kind, r.Memory.Source, r.Memory.Detail = memory.KindCorrection, memory.SourceUser, answers
		r.Memory.LastSeenAt = r.Memory.LastSeenAt.Add(time.Minute)
	}
}

// A conclusion that the user rejects is superseded: of the project, by the answer to it.
func TestARejectedConclusionIsSuperseded(t *testing.T) {
	const rejection = "no, we removed the session commands on purpose"
	for name, c := range map[string]struct {
		by      policy.Row
		of      policy.Row
		rejects bool
	}{
		"rejected":               {row("by", rejection, correction(concludedText)), row("of", concludedText, conclusion), true},
		"under a heading":        {row("by", rejection, correction("Decision\n"+concludedText)), row("of", concludedText, conclusion), true},
		"of another sentence":    {row("by", rejection, correction("Shall I add the cache back?")), row("of", concludedText, conclusion), false},
		"stated later":           {row("by", rejection, correction(concludedText)), row("of", concludedText, conclusion, func(r *policy.Row) { r.Memory.LastSeenAt = today }), false},
		"of another project":     {row("by", rejection, correction(concludedText)), row("of", concludedText, conclusion, func(r *policy.Row) { r.Memory.Project = "blog" }), false},
		"the user's own words":   {row("by", rejection, correction(concludedText)), row("of", concludedText, func(r *policy.Row) { r.Memory.Source = memory.SourceUser }), false},
		"an objection elsewhere": {row("by", "I would have expected a list here", correction(concludedText)), row("of", concludedText, conclusion), false},
		"by an assistant":        {row("by", rejection, correction(concludedText), func(r *policy.Row) { r.Memory.Source = memory.SourceAssistant }), row("of", concludedText, conclusion), false},
		"pinned":                 {row("by", rejection, correction(concludedText)), row("of", concludedText, conclusion, func(r *policy.Row) { r.Memory.Pinned = true }), false},
	} {
		plan := mustPlan(t)(policy.Dedup(now(), []policy.Row{c.by, c.of}))
		a := actionOf(plan, "of")
		if got := a.After.SupersededBy == "by"; got != c.rejects || a.After.Status != "" && a.After.Status != memory.StatusActive || len(plan.Actions) > 1 {
			t.Errorf("%s: the plan is %+v", name, plan.Actions)
		}
		shares := slices.ContainsFunc(policy.Bands(c.by), func(key string) bool { return slices.Contains(policy.Bands(c.of), key) })
		if c.rejects && !shares {
			t.Errorf("%s: a store would not find the two for each other", name)
		}
	}
}

// No statement of an assistant supersedes one of a user, whatever it answers.
func TestNoAssistantSupersedesAUser(t *testing.T) {
	texts := rapid.SampledFrom(append([]string{concludedText, "no, we removed the session commands on purpose"}, sampleTexts...))
	kinds := rapid.SampledFrom([]memory.Kind{memory.KindCorrection, memory.KindDecision, memory.KindDiscovery, memory.KindNote, memory.KindConvention})
	rapid.Check(t, func(rt *rapid.T) {
		var rows []policy.Row
		for _, id := range []string{"a", "b", "c", "d"} {
			rows = append(rows, row(id, texts.Draw(rt, "text"), func(r *policy.Row) {
				m := &r.Memory
				m.Kind, m.Detail = kinds.Draw(rt, "kind"), texts.Draw(rt, "answers")
				m.Source = rapid.SampledFrom([]memory.Source{memory.SourceUser, memory.SourceAssistant}).Draw(rt, "source")
				m.LastSeenAt = m.LastSeenAt.Add(time.Duration(rapid.IntRange(0, 3).Draw(rt, "minute")) * time.Minute)
				if m.Kind == memory.KindDiscovery {
					m.Tags = []string{memory.TagConclusion}
				}
			}))
		}
		source := map[string]memory.Source{}
		for _, r := range rows {
			source[r.Memory.ID] = r.Memory.Source
		}
		plan, err := policy.Dedup(now(), rows)
		if err != nil {
			rt.Fatal(err)
		}
		for _, a := range plan.Actions {
			if a.Kind == policy.KindSupersede && source[a.Memory] == memory.SourceUser && source[a.After.SupersededBy] != memory.SourceUser {
				rt.Fatalf("%+v", a)
			}
		}
	})
}
