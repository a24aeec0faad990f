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
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths/plugintest"
)

// make chaos gives these; make test runs the short form.
var (
	chaosPoints = flag.Int("chaos.points", 30, "instants at which TestChaos kills a process")
	chaosTable  = flag.String("chaos.table", "", "file into which TestChaos writes its table, between its marks")
)

// outcome is one row of the table: a fault, and what came of the events that met it.
type outcome struct {
	fault   string
	runs    int           // how often the fault happened
	in      int           // events whose hook ended by itself
	out     int           // rows in the store in the end; killed hooks may have added some
	most    int           // events of all hooks, the killed ones included
	doubled int           // rows that an event has besides its own
	slowest time.Duration // of the hooks that ended by themselves
	healed  bool          // nobody had to do anything
}

func (o outcome) isGood() bool {
	return o.healed && o.out >= o.in && o.out <= o.most && o.doubled == 0
}

// chaos feeds the events of one fault through the real programs.
type chaos struct {
	*home
	outcome
	hook string
	env  []string // of the hooks
	dice *rand.Rand

	lifetime time.Duration // of a hook, now
}

// TestChaos does to the running programs what happens to programs, at random
// instants, and then counts. The seed is fixed; the instants are what the machine
// makes of it.
func TestChaos(t *testing.T) {
	t.Parallel()
	enginetest.Endpoint(t) // the engine's packages are there, or the test is skipped
	points := *chaosPoints
	var table []outcome
	for _, fault := range []struct {
		name string
		runs int
		do   func(t *testing.T, c *chaos, runs int)
	}{
		{"hook killed at any instant (kill -9)", points * 85 / 100, killHooks},
		{"agent killed while it ingests (kill -9)", points * 10 / 100, killAgents},
		{"engine killed while it ingests (kill -9)", max(1, points*5/100), killEngines},
		{"hook killed between its file and its rename", 10, leaveFiles},
		{"spool that others may write to", 10, openSpool},
		{"files in the spool that are no events", 10, plantGarbage},
		{"several agents started at once", 4, startMany},
	} {
		c := newChaos(t)
		c.fault, c.runs = fault.name, fault.runs
		fault.do(t, c, fault.runs)
		c.settle(t)
		if !c.isGood() {
			t.Errorf("%+v", c.outcome)
		}
		table = append(table, c.outcome)
	}
	t.Logf("\n%s", render(table))
	if *chaosTable != "" {
		writeTable(t, *chaosTable, table)
	}
}

var builtHook = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(installed, "other", "libexec") // without memoryd: the test says when an agent starts
	return filepath.Join(dir, "user-prompt-submit"), plugintest.Build(dir, "../hooks/user-prompt-submit")
})

func newChaos(t *testing.T) *chaos {
	t.Helper()
	h := newHome(t)
	hook, err := builtHook()
	if err != nil {
		t.Fatal(err)
	}
	h.env = append(h.env, "HOME="+t.TempDir())
	return &chaos{home: h, hook: hook, env: append(h.environment(t), h.env...), dice: rand.New(rand.NewPCG(1, 2))}
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
		`{"session_id":"s","cwd":"/","hook_event_name":"UserPromptSubmit","prompt":"remember: the number of this fact is %d"}`, c.most))
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
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

// settle starts an agent, as the next hook would, and counts when it has nothing
// left to do.
func (c *chaos) settle(t *testing.T) {
	t.Helper()
	a := c.start(t)
	var rows memory.Stats
	c.await(t, "the spool to be empty", func() bool {
		status, err := c.status(t)
		if err != nil || status.Store == nil || status.Spool.New+status.Spool.Claimed > 0 {
			return false
		}
		rows = *status.Store
		return rows.Memories >= c.in // what killed hooks have left is taken in a moment later
	})
	c.out, c.doubled, c.healed = rows.Memories, rows.Prompts-rows.Memories, true
	if c.slowest > 550*time.Millisecond { // the hook's deadline and grace
		c.healed = false
	}
	a.stop(t)
}

// killHooks kills hooks at instants from before their first instruction to after
// their last, as long as they take here and now.
func killHooks(t *testing.T, c *chaos, runs int) {
	a := c.start(t)
	for i := range runs {
		if i%10 == 0 { // as busy as the machine is now
			c.lifetime = c.took(t)
		}
		c.prompt(t, time.Duration(c.dice.Int64N(int64(c.lifetime*3/2))))
	}
	a.stop(t)
}

// took is how long a hook takes that nobody kills.
func (c *chaos) took(t *testing.T) time.Duration {
	t.Helper()
	begun := time.Now()
	c.prompt(t, never)
	return time.Since(begun)
}

func killAgents(t *testing.T, c *chaos, runs int) {
	for range runs {
		c.prompts(t, 10)
		a := c.start(t)
		c.awaitIngest(t)
		pause(time.Duration(c.dice.Int64N(int64(10 * time.Millisecond))))
		enginePID := c.enginePID(t)
		kill(t, a.cmd.Process.Pid)
		_ = a.cmd.Wait() // says that it was killed
		c.awaitClosely(t, "the engine to end with its agent", func() bool { return isGoneProcess(enginePID) })
	}
}

func killEngines(t *testing.T, c *chaos, runs int) {
	a := c.start(t)
	for range runs {
		c.await(t, "the store", func() bool {
			status, err := c.status(t)
			return err == nil && status.Store != nil
		})
		c.prompts(t, 10)
		pid := c.enginePID(t)
		kill(t, pid)
		c.await(t, "another engine", func() bool {
			status, err := c.status(t)
			return err == nil && status.Engine.PID != pid && status.Engine.PID != 0
		})
	}
	a.stop(t)
}

// awaitIngest waits until the agent has begun to empty the spool.
func (c *chaos) awaitIngest(t *testing.T) {
	t.Helper()
	before := c.waiting(t)
	c.awaitClosely(t, "ingest to begin", func() bool { return c.waiting(t) < before || before == 0 })
}

// pause waits for a random instant, which is what is tested.
func pause(d time.Duration) { <-time.After(d) }

// leaveFiles moves whole events back to where a killed hook leaves them.
func leaveFiles(t *testing.T, c *chaos, runs int) {
	c.prompts(t, runs)
	events, err := filepath.Glob(filepath.Join(c.layout.Spool(), "new", "*.json"))
	if err != nil || len(events) != runs {
		t.Fatalf("%d events, %v", len(events), err)
	}
	old := time.Now().Add(-time.Hour)
	for _, event := range events {
		left := filepath.Join(c.layout.Spool(), "tmp", filepath.Base(event))
		if err := errors.Join(os.Rename(event, left), os.Chtimes(left, old, old)); err != nil {
			t.Fatal(err)
		}
	}
}

func openSpool(t *testing.T, c *chaos, runs int) {
	if err := errors.Join(os.MkdirAll(c.layout.Spool(), 0o700), os.Chmod(c.layout.Spool(), 0o777)); err != nil {
		t.Fatal(err)
	}
	c.prompts(t, runs)
}

func plantGarbage(t *testing.T, c *chaos, runs int) {
	c.prompts(t, runs)
	for i := range runs {
		file := filepath.Join(c.layout.Spool(), "new", fmt.Sprintf("%04d.json", i))
		if err := os.WriteFile(file, []byte(`{"id":`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func startMany(t *testing.T, c *chaos, runs int) {
	c.prompts(t, 20)
	var agents []*runningAgent
	for range runs {
		agents = append(agents, c.start(t))
	}
	c.await(t, "one of the agents", func() bool { _, err := c.status(t); return err == nil })
	status, err := c.status(t)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range agents {
		if a.cmd.Process.Pid == status.PID {
			defer a.stop(t)
			continue
		}
		if err := a.cmd.Wait(); err != nil {
			t.Errorf("an agent too many: %v", err)
		}
	}
	c.prompts(t, 20)
}

func render(table []outcome) string {
	lines := []string{
		"| fault | runs | events in | rows out | doubled | slowest hook | recovered without a person |",
		"|---|---|---|---|---|---|---|",
	}
	for _, o := range table {
		healed := "yes"
		if !o.healed {
			healed = "no"
		}
		out := fmt.Sprint(o.out)
		if o.most > o.in {
			out = fmt.Sprintf("%d (%d hooks were killed)", o.out, o.most-o.in)
		}
		lines = append(lines, fmt.Sprintf("| %s | %d | %d | %s | %d | %.1f ms | %s |",
			o.fault, o.runs, o.in, out, o.doubled, float64(o.slowest.Microseconds())/1000, healed))
	}
	return strings.Join(lines, "\n") + "\n"
}

const (
	tableBegin = "<!-- chaos:begin -->\n"
	tableEnd   = "<!-- chaos:end -->"
)

func writeTable(t *testing.T, file string, table []outcome) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), tableBegin)
	_, after, closed := strings.Cut(rest, tableEnd)
	if !found || !closed {
		t.Fatalf("%s has no %s", file, strings.TrimSpace(tableBegin))
	}
	where := fmt.Sprintf("\n%s/%s, %d CPUs, %d kill points.\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), *chaosPoints)
	if err := os.WriteFile(file, []byte(before+tableBegin+render(table)+where+tableEnd+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
