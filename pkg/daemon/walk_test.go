package daemon_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// mostFrames is how many of our functions stand on the stack when the store applies a spooled event, from the connection
// whose caller waits for it.
const mostFrames = 21

func TestTheWayOfAnEventToTheStoreIsShort(t *testing.T) {
	var walk []string
	r := daemontest.Serve(t, daemontest.Ready, func(r *daemontest.Running) {
		r.Daemon.Store.(*daemontest.FaultyStore).Fail = func(b memory.Batch) error {
			if walk == nil && len(b.Prompts) > 0 {
				walk = ourFrames()
			}
			return nil
		}
	})
	daemontest.Put(t, r.Spool, daemontest.Prompt(1, "remember that the port is 6543"))
	musttest.Get(daemonapi.MethodIngest.Ask(t.Context(), r.Send, daemonapi.None{}))(t)
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
		if isOurs && !strings.Contains(name, "daemontest.") && !strings.HasPrefix(name, "daemon_test.") {
			names = append(names, name)
		}
		if !more {
			return names
		}
	}
}
