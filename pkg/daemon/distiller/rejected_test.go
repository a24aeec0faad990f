package distiller_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

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
			if asked := model.Calls(); asked != 1 {
				t.Errorf("asked %d times", asked)
			}
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
