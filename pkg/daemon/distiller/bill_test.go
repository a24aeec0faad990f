package distiller_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Twenty sessions after the question without an answer, the daemon estimates what a model would have cost and kept of them.
func TestSessionsWithoutAnAnswerAreEstimatedOnce(t *testing.T) {
	for name, test := range map[string]struct {
		sessions int
		asked    time.Duration // after the sessions began; the user was not asked if 0
		decided  bool
		want     bool
	}{
		"twenty":           {20, -time.Hour, false, true},
		"one less":         {19, -time.Hour, false, false},
		"decided":          {20, -time.Hour, true, false},
		"nobody was asked": {20, 0, false, false},
		"before the question, such as imported ones": {20, time.Hour, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			a, model, s := distilling(t, func(distill.Question) (distill.Reply, error) { return daemontest.Wrote("x") })
			a.Config.Distill.Enabled, a.Config.Distill.Decided = false, test.decided
			a.Asked, a.Unpaid = filepath.Join(t.TempDir(), "asked"), filepath.Join(t.TempDir(), "bill")
			if test.asked != 0 {
				if err := os.WriteFile(a.Asked, nil, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(a.Asked, time.Time{}, daemontest.Noon.Add(test.asked)); err != nil {
					t.Fatal(err)
				}
			}
			a.Rebuild()
			for i := range test.sessions {
				live(t, a, s, daemontest.Ended(fmt.Sprint("s", i), rule)...)
			}
			text, err := os.ReadFile(a.Unpaid)
			if (err == nil) != test.want {
				t.Fatalf("the estimate is %s, %v", text, err)
			}
			if asked := model.Calls(); asked != 0 {
				t.Errorf("the model was asked %d times", asked)
			}
			if !test.want {
				return
			}
			var bill daemonapi.DistillBill
			if err := json.Unmarshal(text, &bill); err != nil {
				t.Fatal(err)
			}
			if bill.Sessions != 20 || bill.USD <= 0 || bill.LeastFacts != 14 || bill.MostFacts != 43 || bill.Receiver != a.Config.Distill.Receiver() {
				t.Errorf("the estimate is %+v", bill)
			}
			live(t, a, s, daemontest.Ended("one more", rule)...)
			if again, err := os.ReadFile(a.Unpaid); err != nil || string(again) != string(text) {
				t.Errorf("one session later it is %s, %v", again, err)
			}
		})
	}
}
