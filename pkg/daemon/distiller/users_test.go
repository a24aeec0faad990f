package distiller_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// The user's own later words take back what the user asked to keep: the user is told once, and an undo brings it back.
// Words of the assistant, or that the user pasted, take back nothing of the user's.
func TestTheUsersLaterWordsTakeBackEarlierOnes(t *testing.T) {
	const asked, kept, fact = "Remember: the staging db listens on 5433", "the staging db listens on 5433", "The staging db listens on 6544."
	for name, test := range map[string]struct {
		prompt, quote string
		earlier       string
		isReplaced    bool
	}{
		"the user's words":       {"the staging db moved to 6544 last night", "staging db moved to 6544", asked, true},
		"after a guess":          {"the staging db moved to 6544 last night", "staging db moved to 6544", "from now on " + kept, true},
		"the assistant's words":  {"look at the staging db", "It joins on the session now", asked, false},
		"a quotation":            {"the staging db is odd. Max wrote:\n\n> the staging db moved to 6544\n\nis that right?", "staging db moved to 6544", asked, false},
		"a tool's report":        {"<task-notification>the staging db moved to 6544</task-notification>", "staging db moved to 6544", asked, false},
		"a plan of the model's":  {"Implement the following plan:\n\nthe staging db moved to 6544, so change all files", "staging db moved to 6544", asked, false},
		"the user's older words": {"the staging db moved to 6544 last night", "staging db moved to 6544", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			a, _, s := distilling(t, func(q distill.Question) (distill.Reply, error) {
				if !strings.Contains(q.Prompt, "staging db") || strings.Contains(q.Prompt, "user: "+asked) || strings.Contains(q.Prompt, "user: from now") {
					return distill.Reply{Text: []byte(`{"summary":{"request":"x"},"facts":[]}`)}, nil
				}
				return distill.Reply{Text: fmt.Appendf(nil, `{"summary":{"request":"x"},"facts":[{"text":%q,"kind":"note","quotes":[%q],"about":%q,"relation":"supersedes"}]}`,
					fact, test.quote, cmp.Or(daemontest.ShownID(q, kept), daemontest.ShownID(q, test.earlier)))}, nil
			})
			a.Now = func() time.Time { return daemontest.Noon.AddDate(0, 0, 2) }
			a.Rebuild()
			first, second := daemontest.Ended("s1", test.earlier), anHourLater(daemontest.Ended("s2", test.prompt))
			if test.earlier == "" { // asked for after the session that is distilled last
				first = anHourLater(anHourLater(daemontest.Ended("s1", asked)))
			}
			daemontest.Put(t, s, first[:len(first)-1]...) // it is not over, and so not distilled
			live(t, a, s, second...)
			id := memory.NewID(memory.ScopeProject, "p", kept)
			by := memory.NewID(memory.ScopeProject, "p", fact)
			if _, err := memory.Find(t.Context(), a.Store, id); errors.Is(err, memory.ErrNotFound) { // it is kept as it stands
				id = memory.NewID(memory.ScopeProject, "p", test.earlier)
			}
			if got := daemontest.RowOf(t, a, id).SupersededBy; (got == by) != test.isReplaced {
				t.Fatalf("it is superseded by %q", got)
			}
			line, run := a.Told.Next(t.Context(), "p")
			if (line != "") != test.isReplaced {
				t.Fatalf("the user is told %q", line)
			}
			if !test.isReplaced {
				return
			}
			if !strings.Contains(line, kept+"” by your later words “"+test.quote+"”") {
				t.Errorf("the user is told %q", line)
			}
			daemontest.ToldOnceAndUndone(t, a, run, id)
		})
	}
}

// A todo of the user's is over by the user's own words only.
func TestATodoOfTheUsersIsOverByTheUsersWords(t *testing.T) {
	const todo = "order the flour for the bakery"
	for quote, want := range map[string]memory.Status{"flour is ordered now": memory.StatusArchived, "It joins on the session now": memory.StatusActive} {
		a, _, s := distilling(t, func(q distill.Question) (distill.Reply, error) {
			return distill.Reply{Text: fmt.Appendf(nil, `{"summary":{"request":"x"},"facts":[],"ended":[{"line":%q,"quote":%q}]}`, daemontest.ShownID(q, todo), quote)}, nil
		})
		a.Now = func() time.Time { return daemontest.Noon.AddDate(0, 0, 2) }
		a.Rebuild()
		first := daemontest.Ended("s1", "Todo: "+todo)
		daemontest.Put(t, s, first[:len(first)-1]...)
		live(t, a, s, anHourLater(daemontest.Ended("s2", "the flour is ordered now"))...)
		row := daemontest.RowOf(t, a, memory.NewID(memory.ScopeProject, "p", todo))
		line, _ := a.Told.Next(t.Context(), "p")
		if row.Memory.Status != want || strings.Contains(line, "you said that it is done") != (want == memory.StatusArchived) {
			t.Errorf("by %q it is %s, and the user is told %q", quote, row.Memory.Status, line)
		}
	}
}

// A rule that the user had to say again, by a model or word for word, stands in full at a start and after a compaction, with how often it was
// said, goes to subagents, does not fade, and is offered as a rule of CLAUDE.md once. A report of the assistant's says nothing again.
func TestARuleThatHadToBeSaidAgainIsFirst(t *testing.T) {
	const fact, users = "The changelog has a line for each change that users see.", "we must never round prices in the shop"
	said := []string{"every change needs a line in the changelog", "again: where is the changelog line?", "the changelog line is missing again"}
	quote := func(n int) string { return said[n] }
	for name, test := range map[string]struct {
		turns func(n int) string
		quote func(n int) string
		want  string // its line
	}{
		"by a model":    {quote, quote, "“" + fact + "” (said 3 times)"},
		"word for word": {func(int) string { return users }, nil, users + " (said 3 times)"},
		"by the assistant": {quote, func(n int) string {
			return []string{said[0], "It joins on the session now", "It joins on the session now"}[n]
		}, ""},
		"in words of others": {func(n int) string { return []string{said[0], "> " + said[1], "> " + said[2]}[n] }, quote, ""},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			a, _, s := distilling(t, func(q distill.Question) (distill.Reply, error) {
				about, relation := daemontest.ShownID(q, fact), ""
				if about != "" {
					relation = "repeats"
				}
				facts := ""
				if test.quote != nil {
					facts = fmt.Sprintf(`{"text":%q,"kind":"convention","importance":1,"quotes":[%q],"about":%q,"relation":%q}`, fact, test.quote(n), about, relation)
				}
				return distill.Reply{Text: fmt.Appendf(nil, `{"summary":{"request":"x"},"facts":[%s]}`, facts)}, nil
			})
			now := daemontest.Noon.AddDate(0, 0, 5)
			a.Now = func() time.Time { return now }
			a.Config.Distill.Enabled = test.quote != nil
			a.Rebuild()
			told := ""
			for n = range said {
				events := daemontest.Ended(fmt.Sprint("s", n), test.turns(n))
				for i := range events {
					events[i].At = events[i].At.AddDate(0, 0, n)
				}
				start := daemontest.Event(0, memory.EventSessionStarted)
				start.Source, start.Session, start.At = "startup", events[0].Session, events[0].At.Add(-time.Second)
				start.ID += events[0].ID
				live(t, a, s, append([]memory.Event{start}, events...)...)
				line, _ := a.Told.Next(t.Context(), "p")
				told += line + a.Briefing.Remembered(t.Context(), daemonapi.RecallParams{Project: "p", Session: events[0].Session})
			}
			var others []memory.Event // newer, and of the weight of others
			for i := range 12 {
				e := daemontest.Stored(i, fmt.Sprintf("The port of service %c is fixed in its own file.", 'a'+i))
				e.Weight, e.At, e.Session = 3, daemontest.Noon.AddDate(0, 0, 4), fmt.Sprint("t", i)
				e.ID += fmt.Sprint(i)
				others = append(others, e)
			}
			daemontest.Ingested(t, a, others...)
			now = daemontest.Noon.AddDate(2, 0, 0)
			var active memory.Batch // days, after which what is weak goes
			for day := range 300 {
				active.Days = append(active.Days, memory.ActiveDay{Project: "p", Day: now.AddDate(0, 0, -day).Format(time.DateOnly)})
			}
			musttest.Do(t, a.Store.Ingest(t.Context(), active))
			musttest.Get(a.Upkeep.Consolidate(t.Context(), daemonapi.ConsolidateParams{Trigger: "manual"}))(t)
			context := musttest.Get(a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "p", Session: "s2", Source: session.Compact, TokenBudget: 2000}))(t)
			a.Sessions.ExpectSubagent("next", "worker", "look into the export of guests")
			task := musttest.Get(a.Briefing.Recall(t.Context(), daemonapi.RecallParams{Project: "p", Session: "next", Subagent: "1", Purpose: daemonapi.ForSubagent, Text: "worker", TokenBudget: 800}))(t)
			for where, text := range map[string]string{"start": daemontest.StartOf(t, a, "next"), "compaction": context.Text, "subagent": task.Text} {
				isFirst := slices.ContainsFunc(strings.Split(text, "\n## "), func(section string) bool {
					lines := strings.Split(section, "\n")
					return len(lines) > 1 && test.want != "" && strings.Contains(lines[1], test.want)
				})
				if isFirst != (test.want != "") || strings.Contains(text, "said 2 times") {
					t.Errorf("%s: want %q first of its section in\n%s", where, test.want, text)
				}
			}
			if n := strings.Count(told, "you said it 3 times; memory rule "); n != min(1, len(test.want)) {
				t.Errorf("it is offered %d times:\n%s", n, told)
			}
		})
	}
}

// What the user decided about a sentence is decided about what a model makes of the same words, before the session is distilled and
// while the model is asked. If the user takes the decision back, the next distillation has the words again.
func TestAModelBringsBackNothingThatWasRejected(t *testing.T) {
	const fridays, sentence, fact = "deploy on Fridays", "We always deploy on Fridays.", "Deploys always happen on Fridays."
	forget, edit := memory.Change{Status: memory.StatusArchived}, memory.Change{Content: "We always deploy on Mondays."}
	restore := memory.Change{Status: memory.StatusActive}
	for name, test := range map[string]struct {
		prompt, assistant, id string // sentence, the usual words, and the sentence's if empty
		before, during, after []memory.Change
		fact                  [2]string // fact, with fridays as its quote, if empty
		isSent, isKept        bool
	}{
		"nothing decided":                   {isSent: true, isKept: true},
		"forgotten before":                  {before: []memory.Change{forget}},
		"forgotten during":                  {during: []memory.Change{forget}, isSent: true},
		"edited before":                     {before: []memory.Change{edit}},
		"edited during":                     {during: []memory.Change{edit}, isSent: true},
		"asked, forgotten before":           {prompt: "Remember: " + fridays, id: fridays, before: []memory.Change{forget}},
		"asked, forgotten during":           {prompt: "Remember: " + fridays, id: fridays, during: []memory.Change{forget}, isSent: true},
		"asked, edited before":              {prompt: "Remember: " + fridays, id: fridays, before: []memory.Change{edit}},
		"forgotten and restored before":     {before: []memory.Change{forget, restore}, isSent: true, isKept: true},
		"forgotten during, restored after":  {during: []memory.Change{forget}, after: []memory.Change{restore}, isSent: true, isKept: true},
		"forgotten before, restored after":  {before: []memory.Change{forget}, after: []memory.Change{restore}, isSent: true, isKept: true},
		"in a longer prompt":                {prompt: "look at the export of guests.\n" + sentence + "\nand sort it", before: []memory.Change{forget}},
		"other words of the prompt":         {prompt: sentence + " The invoices are sorted by date from now on.", before: []memory.Change{forget}, fact: [2]string{"Invoices are sorted by date.", "invoices are sorted by date"}, isKept: true},
		"repeated by the assistant":         {assistant: "Noted: we always deploy on Fridays. The export is sorted.", before: []memory.Change{forget}, fact: [2]string{fact, "we always deploy on Fridays"}},
		"repeated by the assistant, during": {assistant: "Noted: we always deploy on Fridays. The export is sorted.", during: []memory.Change{forget}, fact: [2]string{fact, "Noted: we always deploy"}, isSent: true},
		"a longer sentence stands":          {prompt: "Remember: " + fridays + "\nRemember: never " + fridays + " in December", id: fridays, before: []memory.Change{forget}, fact: [2]string{"No deploys in December.", "never " + fridays + " in December"}, isSent: true, isKept: true},
	} {
		t.Run(name, func(t *testing.T) {
			if test.prompt == "" {
				test.prompt = sentence
			}
			if test.id == "" {
				test.id = sentence
			}
			if test.fact[0] == "" {
				test.fact = [2]string{fact, fridays}
			}
			a, model, s := distilling(t, func(distill.Question) (distill.Reply, error) {
				return daemontest.Wrote("The deploys. "+sentence, test.fact)
			})
			now := daemontest.Noon.AddDate(0, 0, 1)
			a.Now = func() time.Time { now = now.Add(time.Second); return now }
			a.Rebuild()
			decide := func(all []memory.Change) {
				for _, c := range all {
					c.By, c.At = memory.ByPerson, a.Now()
					c.ID = memory.NewEventID(c.At)
					musttest.Get(a.Intake.Amend(t.Context(), daemonapi.AmendParams{ID: memory.NewID(memory.ScopeProject, "p", test.id), Project: "p", Change: c}))(t)
				}
			}
			model.Off.Store(true)
			events := daemontest.Ended("s1", test.prompt)
			if test.assistant != "" {
				events[2].Text = test.assistant
			}
			live(t, a, s, events...)
			decide(test.before)
			model.Off.Store(false)
			model.Wait = func(context.Context) error {
				model.Wait = nil
				decide(test.during)
				return nil
			}
			distilled := func() {
				if done, err := a.Distiller.Distill(t.Context(), daemonapi.DistillParams{Session: "s1"}); err != nil || done.State != string(memory.DistillationDone) {
					t.Fatalf("%v: %+v", err, done)
				}
			}
			distilled()
			if text := recordOf(t, a).Session.Summary.Text; (len(test.before)+len(test.during) == 1) == strings.Contains(text, sentence) && test.id == sentence {
				t.Errorf("the summary is %q", text)
			}
			distilled() // it is done
			musttest.Same(t, 1, model.Calls(), "calls")
			decide(test.after)
			if len(test.after) > 0 {
				distilled()
			}
			sent := strings.Contains(strings.Join(model.Asked, "\n"), fridays)
			if kept := strings.Contains(standing(t, a, "p"), test.fact[0]); kept != test.isKept || sent != test.isSent {
				t.Errorf("sent: %v, kept: %v", sent, kept)
			}
		})
	}
}
