//go:build linux

package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

// make chaos gives these; make test runs the short form.
var (
	chaosPoints = flag.Int("chaos.points", 20, "instants at which TestChaos kills a process; below 1000 the other faults are done fewer times, too")
	chaosTable  = flag.String("chaos.table", "", "file into which TestChaos writes its table, between its marks")
)

// fault is one row of the table: a fault of the programs while events arrive.
type fault struct {
	name string
	runs func() int // how often it is done
	do   func(t *testing.T, c *chaos, runs int)
}

// faults are all of them, in the table's order.
var faults = slices.Concat(killFaults, spoolFaults, storageFaults, hangFaults, poisonFaults, clockFaults, descriptorFaults, homeFaults, mcpFaults)

func isShort() bool { return *chaosPoints < 1000 }

// perThousand is that share of the points.
func perThousand(n int) func() int { return func() int { return max(1, *chaosPoints*n/1000) } }

// times is so often in the short form, and so often in the full one.
func times(short, full int) func() int {
	return func() int {
		if isShort() {
			return short
		}
		return full
	}
}

// inFull is so often in the full form, and not at all in the short one: another test causes about the same, or the fault
// costs several starts of daemon and engine.
func inFull(n int) func() int { return times(0, n) }

// onlyInChaos leaves a test to make chaos: a trial of kills, moves, exchanges or upgrades, which starts daemon and engine many times.
func onlyInChaos(t *testing.T) {
	t.Helper()
	if isShort() {
		t.Skip("make chaos runs this")
	}
}

// outcome is one row of the table: a fault, and the fate of the events during it.
type outcome struct {
	fault   string
	runs    int           // how often the fault happened; 0 if it cannot be done here
	in      int           // events whose hook ended by itself
	out     int           // rows in the store in the end; killed hooks may have added some
	most    int           // events of all hooks, the killed ones included
	doubled int           // rows that an event has besides its own
	slowest time.Duration // of the hooks that ended by themselves
	longest time.Duration // the longest time until a hanging process was replaced
	healed  bool          // nobody had to do anything
}

func (o outcome) isGood() bool { return o.healed && o.out >= o.in && o.out <= o.most && o.doubled == 0 }

// chaos feeds the events of one fault through the real programs.
type chaos struct {
	*home
	outcome
	hook string
	env  []string // of the hooks
	dice *rand.Rand
	size int // of the padding of each prompt, in bytes
	dead int // dead letters that the fault makes

	lifetime time.Duration // of a hook, now
}

// TestChaos causes the usual faults of running programs at random instants, and then counts. The seed
// is fixed; the instants depend on the machine.
func TestChaos(t *testing.T) {
	t.Parallel()
	enginetest.Endpoint(t) // the engine's packages are there, or the test is skipped
	table := make([]outcome, len(faults))
	t.Cleanup(func() {
		t.Logf("\n%s", render(table))
		if *chaosTable != "" && !t.Failed() {
			writeTable(t, *chaosTable, table)
		}
	})
	for i, f := range faults {
		table[i] = outcome{fault: f.name}
		if f.runs() == 0 {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			if isShort() { // the full form measures hooks, each fault by itself
				t.Parallel()
			}
			c := newChaos(t)
			c.fault, c.runs = f.name, f.runs()
			f.do(t, c, c.runs)
			c.settle(t)
			if !c.isGood() {
				t.Errorf("%+v", c.outcome)
			}
			table[i] = c.outcome
		})
	}
}

// alone builds, once, hooks in a plugin without memoryd: the test decides when a daemon starts.
var alone = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(installed, "alone", "libexec")
	return filepath.Join(dir, "user-prompt-submit"), plugintest.Build(dir, "../hooks/user-prompt-submit")
})

func newChaos(t *testing.T) *chaos {
	t.Helper()
	h := newHome(t)
	hook := musttest.Get(alone())(t)
	h.env = append(h.env, "HOME="+t.TempDir())
	return &chaos{home: h, hook: hook, env: append(h.environment(t), h.env...), dice: rand.New(rand.NewPCG(1, 2))}
}

// plug gives the hooks a plugin that is whole: they start the daemon.
func (c *chaos) plug(t *testing.T) (root string) {
	t.Helper()
	root = c.newPlugin(t)
	c.hook = filepath.Join(root, "libexec", "user-prompt-submit")
	t.Cleanup(func() { c.endDaemon(t) }) // that of a test which failed
	return root
}

// never is no instant.
const never = time.Duration(-1)

// prompt runs one hook and kills it at the given instant after its start.
func (c *chaos) prompt(t *testing.T, killed time.Duration) {
	t.Helper()
	c.most++
	cmd := exec.Command(c.hook)
	cmd.Env = c.env
	cmd.Stdin = strings.NewReader(fmt.Sprintf(
		`{"session_id":"s","cwd":"/","hook_event_name":"UserPromptSubmit","prompt":"remember: the number of this fact is %d%s"}`,
		c.most, strings.Repeat(fmt.Sprintf(" %d", c.most), c.size/8)))
	begun := time.Now()
	musttest.Do(t, cmd.Start())
	if killed != never {
		timer := time.AfterFunc(killed, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case err == nil:
		c.in++
		c.slowest = max(c.slowest, time.Since(begun))
	case !errors.As(err, &exit) || killed == never:
		t.Errorf("a hook ended with %v", err)
	}
}

func (c *chaos) prompts(t *testing.T, n int) {
	t.Helper()
	for range n {
		c.prompt(t, never)
	}
}

// settle counts the events by their fate.
func (c *chaos) settle(t *testing.T) {
	t.Helper()
	rows := c.count(t, c.in-c.out)
	c.out += rows.Memories
	c.doubled += max(rows.Prompts, rows.Sightings) - rows.Memories
	c.healed = c.slowest <= hookLimit()
}

// hookLimit is the time limit for a hook: its deadline and grace are 550 ms, and the machine may be busy when it
// starts. In the short form other tests run at the same time.
func hookLimit() time.Duration {
	if isShort() {
		return 5 * time.Second
	}
	return time.Second
}

// count counts the rows when the daemon has nothing left to do: the one that is there, or one that is started as the
// next hook would start it. It waits for that many. Then the daemon ends.
func (c *chaos) count(t *testing.T, wanted int) memory.Stats {
	t.Helper()
	if _, err := c.status(t); err != nil {
		c.start(t)
	}
	var rows memory.Stats
	c.await(t, "the spool to be empty", func() bool {
		status, err := c.status(t)
		if err != nil || status.Store == nil || status.Spool.New+status.Spool.Claimed > 0 {
			return false
		}
		if rows = *status.Store; status.Spool.Dead != c.dead {
			t.Fatalf("%d letters are dead, want %d", status.Spool.Dead, c.dead)
		}
		return rows.Memories >= wanted // files of killed hooks are ingested a moment later
	})
	c.endDaemon(t)
	return rows
}

func render(table []outcome) string {
	lines := []string{"| fault | runs | events in | rows out | doubled | slowest hook | recovered without a person |", "|---|---|---|---|---|---|---|"}
	for _, o := range table {
		if o.runs == 0 {
			lines = append(lines, fmt.Sprintf("| %s | not run here | | | | | |", o.fault))
			continue
		}
		healed := "yes"
		if !o.healed {
			healed = "no"
		}
		out := fmt.Sprint(o.out)
		if o.most > o.in {
			out = fmt.Sprintf("%d (%d hooks were killed)", o.out, o.most-o.in)
		}
		if o.longest > 0 {
			healed += fmt.Sprintf(", within %.1f s", o.longest.Seconds())
		}
		slowest := "none runs"
		if o.slowest > 0 {
			slowest = fmt.Sprintf("%.1f ms", float64(o.slowest.Microseconds())/1000)
		}
		lines = append(lines, fmt.Sprintf("| %s | %d | %d | %s | %d | %s | %s |", o.fault, o.runs, o.in, out, o.doubled, slowest, healed))
	}
	return strings.Join(lines, "\n") + "\n"
}

const (
	tableBegin = "<!-- chaos:begin -->\n"
	tableEnd   = "<!-- chaos:end -->"
)

func writeTable(t *testing.T, file string, table []outcome) {
	t.Helper()
	data := musttest.Get(os.ReadFile(file))(t)
	before, rest, found := strings.Cut(string(data), tableBegin)
	_, after, closed := strings.Cut(rest, tableEnd)
	if !found || !closed {
		t.Fatalf("%s has no %s", file, strings.TrimSpace(tableBegin))
	}
	where := fmt.Sprintf("\n%s/%s, %d CPUs, %d kill points.\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), *chaosPoints)
	musttest.Do(t, os.WriteFile(file, []byte(before+tableBegin+render(table)+where+tableEnd+after), 0o644))
}
