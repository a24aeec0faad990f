package agent_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/agenttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// mostFrames is how many of our functions stand on the stack when the store applies a spooled event, from the connection
// whose caller waits for it.
const mostFrames = 20

func TestTheWayOfAnEventToTheStoreIsShort(t *testing.T) {
	var walk []string
	r := agenttest.Serve(t, agenttest.Ready, func(r *agenttest.Running) {
		r.Agent.Store.(*agenttest.FaultyStore).Fail = func(b memory.Batch) error {
			if walk == nil && len(b.Prompts) > 0 {
				walk = ourFrames()
			}
			return nil
		}
	})
	agenttest.Put(t, r.Spool, agenttest.Prompt(1, "remember that the port is 6543"))
	if err := r.Call(t, agentapi.MethodIngest.Call(agentapi.None{}, nil)); err != nil {
		t.Fatal(err)
	}
	r.End() // before the walk is read
	if len(walk) < 10 || len(walk) > mostFrames {
		t.Errorf("%d functions, %d at most:\n%s", len(walk), mostFrames, strings.Join(walk, "\n"))
	}
}

// ourFrames are the functions of this module on the stack, without those of tests.
func ourFrames() (names []string) {
	const module = "github.com/surrealdb-memory/surrealdb-memory/pkg/"
	counters := make([]uintptr, 100)
	for frames := runtime.CallersFrames(counters[:runtime.Callers(2, counters)]); ; {
		frame, more := frames.Next()
		name, isOurs := strings.CutPrefix(frame.Function, module)
		if isOurs && !strings.Contains(name, "agenttest.") && !strings.HasPrefix(name, "agent_test.") {
			names = append(names, name)
		}
		if !more {
			return names
		}
	}
}
