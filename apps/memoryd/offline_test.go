//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

// movedClock is the clock of the programs of moved: it is ahead by the duration in the file TEST_CLOCK.
const movedClock = `
func movedClock() time.Time {
	text, err := os.ReadFile(os.Getenv("TEST_CLOCK"))
	if err != nil {
		panic(err)
	}
	ahead, err := time.ParseDuration(string(text))
	if err != nil {
		panic(err)
	}
	return time.Now().Add(ahead)
}
`

// moved builds memoryd and memory from the same files, except that the clock that main gives to all is movedClock.
var moved = sync.OnceValues(func() (programs, error) {
	engineDir, err := enginetest.EngineDir()
	if err != nil {
		return programs{}, err
	}
	root := filepath.Join(installed, "moved")
	p := programs{memoryd: filepath.Join(root, "libexec", "memoryd")}
	if err := os.MkdirAll(filepath.Dir(p.memoryd), 0o755); err != nil {
		return p, err
	}
	overlay := map[string]map[string]string{"Replace": {}}
	for i, source := range []string{"serve.go", "../../pkg/cli/terminal/terminal.go"} {
		path, errPath := filepath.Abs(source)
		content, err := os.ReadFile(source)
		text := strings.Replace(string(content), "Now: time.Now,", "Now: movedClock,", 1)
		if err := errors.Join(errPath, err); err != nil || text == string(content) {
			return p, fmt.Errorf("%s: its clock is not found: %w", source, err)
		}
		copied := filepath.Join(root, fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(copied, []byte(text+movedClock), 0o600); err != nil {
			return p, err
		}
		overlay["Replace"][path] = copied
	}
	text, err := json.Marshal(overlay)
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(root, "overlay.json"), text, 0o600), os.Symlink(engineDir, filepath.Join(root, "engine")))
	}
	if err != nil {
		return p, err
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-overlay", filepath.Join(root, "overlay.json"),
		"-o", filepath.Dir(p.memoryd)+string(filepath.Separator), ".", "../memory")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return p, fmt.Errorf("build the programs with another clock: %w: %s", err, out)
	}
	return p, nil
})

// newMovedMachine starts a machine whose clock is moved by the returned function.
func newMovedMachine(t *testing.T, dir string, ahead time.Duration) (m *machine, move func(time.Duration)) {
	t.Helper()
	programs := musttest.Get(moved())(t)
	m = &machine{home: newHome(t), dir: dir, cli: filepath.Join(filepath.Dir(programs.memoryd), "memory")}
	clock := filepath.Join(t.TempDir(), "clock")
	m.memoryd, m.env = programs.memoryd, append(m.env, "TEST_CLOCK="+clock)
	move = func(ahead time.Duration) {
		t.Helper()
		musttest.Do(t, errors.Join(os.WriteFile(clock+".new", []byte(ahead.String()), 0o600), os.Rename(clock+".new", clock)))
	}
	move(ahead)
	return started(t, m), move
}

// TestAWeekOffline has a machine exchange each day of a week and another one only at its end, while both learn, edit, forget and
// purge; then the second one's clock is a week behind. Each time both have all of both, nothing twice, and of
// two decisions the later one.
func TestAWeekOffline(t *testing.T) {
	onlyInChaos(t)
	t.Parallel()
	enginetest.Endpoint(t)
	const day = 24 * time.Hour
	repository, dir := filepath.Join(t.TempDir(), "repository.git"), t.TempDir()
	git(t, "init", "--quiet", "--bare", repository)
	laptop, moveLaptop := newMovedMachine(t, dir, -8*day)
	desk, moveDesk := newMovedMachine(t, dir, -8*day)
	id := func(text string) string { return memory.NewID(memory.ScopeProject, dir, text) }
	exchange := func(machines ...*machine) {
		t.Helper()
		for _, m := range machines {
			if report := m.memory(t, "sync"); strings.Contains(report, "rolled back") {
				t.Errorf("the report is %q", report)
			}
		}
	}
	laptop.memory(t, "sync", "--git", repository)
	desk.memory(t, "sync", "--git", repository, "--key", filepath.Join(laptop.layout.Sync(), "key.txt"))
	for _, text := range []string{
		"the port is 6543", "the lift is out of order", "the tariff is in euros", "deploy on Tuesdays only", "the office closes at six", "our customer is Zora Lindqvist",
	} {
		laptop.memory(t, "remember", text)
	}
	exchange(laptop, desk)
	want := []string{"the port is 6545", "the lift is out of order", "the tariff is in cents", "the office closes at six"}
	// The desk lives its week first, so that only the clocks tell which decision was the later one.
	for _, life := range []struct {
		name    string
		machine *machine
		move    func(time.Duration)
		on      map[int][]string // commands by the day
	}{
		{"desk", desk, moveDesk, map[int][]string{
			1: {"forget", id("the tariff is in euros")},
			2: {"forget", id("deploy on Tuesdays only")},
			5: {"edit", id("the port is 6543"), "--content", "the port is 6545"},
			6: {"remember", "the lift is out of order"},
			7: {"remember", "call zora-lindqvist before noon"},
		}},
		{"laptop", laptop, moveLaptop, map[int][]string{
			1: {"forget", id("deploy on Tuesdays only")},
			2: {"edit", id("the port is 6543"), "--content", "the port is 6544"},
			3: {"forget", id("the lift is out of order")},
			4: {"edit", id("the tariff is in euros"), "--content", "the tariff is in cents"},
			5: {"purge", "--words", "Zora Lindqvist", "--yes"},
		}},
	} {
		for today := 1; today <= 7; today++ {
			life.move(time.Duration(today-8) * day)
			if today%3 == 1 {
				text := fmt.Sprintf("door %d of the %s is open", today, life.name)
				life.machine.memory(t, "remember", text)
				want = append(want, text)
			}
			if command := life.on[today]; command != nil {
				life.machine.memory(t, command...)
			}
			if life.machine == laptop {
				exchange(laptop)
			}
		}
	}
	both := func(when string) {
		t.Helper()
		slices.Sort(want)
		for name, m := range map[string]*machine{"laptop": laptop, "desk": desk} {
			musttest.Same(t, want, m.texts(t, memory.StatusActive), "%s, %s (-want +got)", when, name)
			all := m.texts(t)
			if once := slices.Compact(slices.Clone(all)); len(once) < len(all) {
				t.Errorf("%s, %s has some twice: %q", when, name, all)
			}
			m.hasNot(t, name, "lindqvist")
		}
		for range 2 { // a time that one had to limit to its clock goes to the other once more
			if isIdle(t, laptop.memory(t, "sync", "--json")) && isIdle(t, desk.memory(t, "sync", "--json")) {
				return
			}
		}
		if again := laptop.memory(t, "sync", "--json"); !isIdle(t, again) {
			t.Errorf("%s: each exchange does something: %s", when, again)
		}
	}
	exchange(desk, laptop, desk)
	both("after a week")

	moveLaptop(0)
	moveDesk(-7 * day)
	laptop.memory(t, "remember", "the gate is green")
	laptop.memory(t, "forget", id("the office closes at six"))
	desk.memory(t, "remember", "the bell is broken")
	exchange(laptop, desk, laptop, desk, laptop)
	want = append(slices.DeleteFunc(want, func(text string) bool { return text == "the office closes at six" }), "the gate is green", "the bell is broken")
	both("with a clock a week behind")
}
