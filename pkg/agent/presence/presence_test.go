package presence

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// watch is a Presence with its facts and its clock.
type watch struct {
	*Presence
	t     testing.TB
	facts []memory.Memory
	now   time.Time
}

func newWatch(t testing.TB, file string) *watch {
	w := &watch{t: t, now: noon}
	w.Presence = New(Options{
		File: file, Resolve: func(project string) string { return strings.TrimPrefix(project, "old ") }, Log: slog.New(slog.DiscardHandler),
		Now:   func() time.Time { return w.now },
		Facts: func(context.Context, string) ([]memory.Memory, error) { return w.facts, nil },
	})
	return w
}

func (w *watch) fact(id, title, content string) {
	w.facts = append(w.facts, memory.Memory{ID: id, Project: "p", Scope: memory.ScopeProject, Source: memory.SourceAssistant, Title: title, Content: content})
}

// look has something happen in checkouts a day later, and looks.
func (w *watch) look(roots ...string) {
	w.t.Helper()
	w.now = w.now.AddDate(0, 0, 1)
	var c intake.Committed
	for _, root := range roots {
		c.Events = append(c.Events, memory.Event{Project: memory.Project{Key: "old p", Root: root}})
	}
	w.Committed(context.Background(), c)
	w.Check(context.Background())
}

// want compares the name of a fact that is gone from a checkout, and whether the fact is gone as a whole.
func (w *watch) want(root, id, gone string, whole bool) {
	w.t.Helper()
	got, is := w.Of(root, id)
	text := ""
	if is {
		text = got.Name + " " + got.Day
	}
	if text != gone || got.Whole != whole {
		w.t.Errorf("of %s is gone %q (whole: %v), want %q (%v)", id, text, got.Whole, gone, whole)
	}
}

func remove(t testing.TB, root, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(root, name)); err != nil {
		t.Fatal(err)
	}
}

func rename(t testing.TB, root, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(root, to)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(root, from), filepath.Join(root, to)); err != nil {
		t.Fatal(err)
	}
}

// A name is gone if it was found once and is not any more, from the day on which that is
// noticed until it is found again. A name that was never found is not gone.
func TestANameThatWasThereIsGone(t *testing.T) {
	root, w := t.TempDir(), newWatch(t, "")
	write(t, root, "ship/rules.go", "package ship\n")
	write(t, root, "ship/law.go", "package ship\n")
	write(t, root, "Makefile", "cruise: boats\n\t./sail\n.PHONY: cruise\n")
	w.fact("one", "Rules are sorted", "Rules in ship/rules.go are sorted by their weight.")
	w.fact("title", "ship/rules.go sorts by weight", "Both ship/rules.go and ship/law.go sort.")
	w.fact("part", "Rules and laws are sorted", "Both ship/rules.go and ship/law.go sort.")
	w.fact("command", "Boats need fuel", "Run make cruise after each change of boats.")
	w.fact("planned", "ship/plan.go comes next", "ship/plan.go comes next, like harbour/a.go of another repository.")
	w.fact("users", "Rules are sorted", "Rules in ship/rules.go are sorted.")
	w.facts[len(w.facts)-1].Scope = memory.ScopeUser
	w.look(root)
	for _, f := range w.facts {
		w.want(root, f.ID, "", false)
	}

	rename(t, root, "ship/rules.go", "ship/order.go")
	write(t, root, "Makefile", "voyage: boats\n\t./sail\n")
	w.fact("late", "ship/rules.go has gone", "The rules of ship/rules.go were written anew.")
	w.look(root)
	w.want(root, "one", "ship/rules.go 2026-11-22", true)
	w.want(root, "title", "ship/rules.go 2026-11-22", true)
	w.want(root, "part", "ship/rules.go 2026-11-22", false)
	w.want(root, "command", "make cruise 2026-11-22", true)
	w.want(root, "planned", "", false)
	w.want(root, "users", "", false)
	w.want(root, "late", "", false)

	w.look(root) // the day stays
	w.want(root, "one", "ship/rules.go 2026-11-22", true)
	remove(t, root, "ship/law.go")
	w.look(root)
	w.want(root, "part", "ship/law.go 2026-11-24", true)

	rename(t, root, "ship/order.go", "ship/rules.go")
	write(t, root, "Makefile", "cruise:\n")
	w.look(root)
	w.want(root, "one", "", false)
	w.want(root, "part", "ship/law.go 2026-11-24", false)
	w.want(root, "command", "", false)
}

// A part of a path is found by git's index, wherever it lies, and gone with the last file
// that ends so.
func TestAPartOfAPathIsFoundInTheIndex(t *testing.T) {
	root, w := t.TempDir(), newWatch(t, "")
	git(t, root, "init", "-q")
	for _, name := range []string{"cmd/ship/rules.go", "cmd/boat/rules.go", "cmd/ship/deep/law.go", "plan/a.go", "cmd/port/dock.go"} {
		write(t, root, name, "package ship\n")
	}
	git(t, root, "add", "-A")
	w.fact("base", "Rules are sorted", "The rules (rules.go) are sorted.")
	w.fact("two", "Rules are sorted", "The rules of ship/rules.go are sorted.")
	w.fact("folder", "Laws lie deep", "Laws lie in ship/deep, next to the others.")
	w.fact("dock", "Docks are counted", "Docks are counted by port/dock.go, each once.")
	w.fact("word", "Prefix of branches", "Branches have the prefix plan/ or deep/.")
	w.look(root)
	git(t, root, "mv", "cmd/ship/rules.go", "cmd/ship/order.go")
	git(t, root, "mv", "cmd/ship/deep", "cmd/ship/low")
	w.look(root)
	w.want(root, "base", "", false)
	w.want(root, "two", "ship/rules.go 2026-11-22", true)
	w.want(root, "folder", "ship/deep 2026-11-22", true)
	w.want(root, "word", "", false)
	remove(t, root, "cmd/boat/rules.go")
	w.look(root)
	w.want(root, "base", "rules.go 2026-11-23", true)
	git(t, root, "checkout", "-q", "--", "cmd/boat/rules.go")
	git(t, root, "mv", "cmd/ship/order.go", "cmd/ship/rules.go")
	w.look(root)
	w.want(root, "base", "", false)
	w.want(root, "two", "", false)

	// A name found by the index is not gone when the index cannot be read.
	git(t, root, "rm", "-rqf", "cmd")
	rename(t, root, ".git/index", ".git/away")
	w.look(root)
	w.want(root, "dock", "", false)
	rename(t, root, ".git/away", ".git/index")
	w.look(root)
	w.want(root, "dock", "port/dock.go 2026-11-26", true)
}

// A name that came back comes and goes: while it is away again it is not gone, and neither is
// a name below it, unless it was there for long.
func TestANameThatComesAndGoes(t *testing.T) {
	root, w := t.TempDir(), newWatch(t, "")
	write(t, root, "ship/plan/next.md", "sail\n")
	w.fact("folder", "Plans lie in ship/plan", "The next plan lies in ship/plan/ until it is done.")
	w.fact("file", "Plans are short", "The next plan is in ship/plan/next.md, in ten lines.")
	w.fact("fleeting", "Plans are temporary", "Temporary plans lie in ship/plan, those done are deleted.")
	away := func() { rename(t, root, "ship/plan", "plan") }
	w.look(root)
	away()
	w.look(root)
	w.want(root, "folder", "ship/plan 2026-11-22", true)
	w.want(root, "fleeting", "", false)
	rename(t, root, "plan", "ship/plan")
	w.look(root)
	away()
	w.look(root)
	w.want(root, "folder", "", false)
	w.want(root, "file", "", false)
	rename(t, root, "plan", "ship/plan")
	w.look(root)
	w.now = w.now.AddDate(0, 0, fickleDays)
	w.look(root)
	away()
	w.look(root)
	w.want(root, "folder", "ship/plan 2026-12-11", true)
}

// A name that is in one worktree only is not gone from another, either way; a name that is gone from
// one and in none is gone from one that never had it.
func TestWorktreesAreApart(t *testing.T) {
	main, w := t.TempDir(), newWatch(t, "")
	git(t, main, "init", "-q")
	write(t, main, "ship/rules.go", "package ship\n")
	git(t, main, "add", "-A")
	git(t, main, "commit", "-qm", "a")
	other := filepath.Join(t.TempDir(), "other")
	git(t, main, "worktree", "add", "-q", "-b", "feature", other)
	write(t, other, "boat/sail.go", "package boat\n")
	git(t, other, "add", "-A")
	w.fact("rules", "Rules are sorted", "Rules in ship/rules.go are sorted.")
	w.fact("sail", "Sails are white", "Sails in sail.go are white.")
	w.look(main, other)
	git(t, other, "rm", "-q", "ship/rules.go")
	w.look(main, other)
	w.want(main, "rules", "", false)
	w.want(other, "rules", "ship/rules.go 2026-11-22", true)
	w.want(main, "sail", "", false)
	w.want(other, "sail", "", false)

	git(t, main, "rm", "-q", "ship/rules.go")
	git(t, main, "commit", "-qm", "b")
	third := filepath.Join(t.TempDir(), "third")
	git(t, main, "worktree", "add", "-q", "-b", "later", third)
	w.look(main, other, third)
	w.want(third, "rules", "ship/rules.go 2026-11-22", true)
	w.want(third, "sail", "", false)

	if err := os.RemoveAll(other); err != nil {
		t.Fatal(err)
	}
	w.look(main, other, third)
	w.want(other, "rules", "", false) // nothing is kept of it
	w.want(main, "sail", "", false)
}

// Where a checkout is being changed, is empty or does not answer, nothing is noticed.
func TestACheckoutWithoutAReadableIndex(t *testing.T) {
	root, w := t.TempDir(), newWatch(t, "")
	git(t, root, "init", "-q")
	write(t, root, "ship/rules.go", "package ship\n")
	git(t, root, "add", "-A")
	w.fact("one", "Rules are sorted", "Rules in ship/rules.go are sorted, those of law.go are not.")
	w.look(root)
	remove(t, root, "ship/rules.go")
	write(t, root, ".git/index.lock", "")
	w.look(root)
	w.want(root, "one", "", false)
	remove(t, root, ".git/index.lock")

	away := filepath.Join(t.TempDir(), "away")
	if err := os.Rename(root, away); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(root, 0o755); err != nil { // a volume that is not mounted
		t.Fatal(err)
	}
	w.look(root)
	w.want(root, "one", "", false)
	remove(t, root, "")
	if err := os.Rename(away, root); err != nil {
		t.Fatal(err)
	}
	remove(t, root, ".git/index")
	if err := syscall.Mkfifo(filepath.Join(root, ".git/index"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.look(root)
	w.want(root, "one", "ship/rules.go 2026-11-24", true) // it was where its path led
	for _, nowhere := range []string{"", "/", "relative"} {
		w.look(nowhere)
	}
}

// A restart keeps the days; a damaged record counts as none; nothing of a purged project is
// left.
func TestTheRecord(t *testing.T) {
	root, file := t.TempDir(), filepath.Join(t.TempDir(), "absences.json")
	write(t, root, "ship/rules.go", "package ship\n")
	w := newWatch(t, file)
	w.fact("one", "Rules are sorted", "Rules in ship/rules.go are sorted.")
	w.look(root)
	rename(t, root, "ship/rules.go", "ship/law.go")
	w.look(root)
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	before := info.ModTime().Add(-time.Hour) // the clock of files is coarse
	if err := os.Chtimes(file, before, before); err != nil {
		t.Fatal(err)
	}

	again := newWatch(t, file)
	again.want(root, "one", "ship/rules.go 2026-11-22", true) // before it has looked
	again.facts, again.now = w.facts, w.now
	again.look(root)
	again.want(root, "one", "ship/rules.go 2026-11-22", true)
	if after, err := os.Stat(file); err != nil || !after.ModTime().After(before) {
		t.Errorf("a day of use is not written: %v, %v", after, err)
	}
	again.facts = nil // it was archived
	again.look(root)
	again.want(root, "one", "", false)

	if err := w.Discard(func(project string) bool { return project == "p" }); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "rules") {
		t.Errorf("of a purged project is left %s, %v", text, err)
	}
	for _, text := range []string{"", "{", "null", `{"roots":{"/a":null,"/b":{"facts":{"x":null}}}}`} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		damaged := newWatch(t, file)
		damaged.facts, damaged.now = w.facts, w.now
		damaged.look(root)
		damaged.want(root, "one", "", false)
	}
}

// A look that fails changes nothing, and a checkout is left alone for a while after a look.
func TestLooksAreSpread(t *testing.T) {
	root, w := t.TempDir(), newWatch(t, "")
	write(t, root, "ship/rules.go", "package ship\n")
	w.fact("one", "Rules are sorted", "Rules in ship/rules.go are sorted.")
	w.look(root)
	remove(t, root, "ship/rules.go")
	facts := w.Facts
	w.Facts = func(context.Context, string) ([]memory.Memory, error) { return nil, errors.New("no store") }
	w.look(root)
	w.want(root, "one", "", false)
	w.Facts = facts
	happens := func() {
		w.Committed(t.Context(), intake.Committed{Events: []memory.Event{{Project: memory.Project{Key: "p", Root: root}}}})
		w.Check(t.Context())
	}
	happens() // too early
	w.want(root, "one", "", false)
	w.now = w.now.Add(time.Minute)
	w.Check(t.Context()) // a check that came too early forgets nothing
	w.want(root, "one", "ship/rules.go 2026-11-22", true)

	write(t, root, "ship/rules.go", "package ship\n") // by hand
	w.now = w.now.Add(time.Minute)
	w.Check(t.Context())
	w.want(root, "one", "ship/rules.go 2026-11-22", true)
	w.now = w.now.Add(lookAgain)
	w.Check(t.Context())
	w.want(root, "one", "", false)
	remove(t, root, "ship/rules.go")
	w.now = w.now.Add(2 * usedTime) // nobody works there
	w.Check(t.Context())
	w.want(root, "one", "", false)
}

// BenchmarkLook looks for the names of 4,000 facts in a checkout of 100,000 files.
func BenchmarkLook(b *testing.B) {
	root, w := b.TempDir(), newWatch(b, "")
	git(b, root, "init", "-q")
	var info strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&info, "100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 0\tpackages/part%d/src/module%d/file%d.go\n", i/1000, i/50, i)
	}
	add := exec.Command("git", "update-index", "--index-info")
	add.Dir, add.Stdin = root, strings.NewReader(info.String())
	if out, err := add.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for i := range 4_000 {
		w.fact(fmt.Sprint("f", i), fmt.Sprintf("file%d.go counts", i), fmt.Sprintf("The module in src/module%d counts by file%d.go and by os.Getwd.", i, i*20))
	}
	for b.Loop() {
		b.StopTimer()
		clear(w.trees)
		b.StartTimer()
		w.look(root)
	}
}
