package intake_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestAMovedProjectStaysAsItIsSwitched, whichever event of it comes first: what a hook captured that did not know of the move
// is stored if memory is on there, and only then.
func TestAMovedProjectStaysAsItIsSwitched(t *testing.T) {
	git := func(arguments ...string) {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), "git", arguments...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", arguments, err, out)
		}
	}
	made := t.TempDir() // repositories, to be copied
	for _, name := range []string{"p", "other", "new"} {
		git("init", "-q", filepath.Join(made, name))
		git("-C", filepath.Join(made, name), "-c", "user.name=t", "-c", "user.email=t", "commit", "-q", "--allow-empty", "-m", name)
	}
	for name, c := range map[string]struct {
		listed, off []string // folders
		folder      string   // of the event, after p was moved to q
		isStored    bool
	}{
		"on":                            {nil, nil, "q", true},
		"off":                           {nil, []string{"p"}, "q", false},
		"another one is off":            {nil, []string{"other"}, "q", true},
		"listed":                        {[]string{"p"}, nil, "q", true},
		"another one is listed":         {[]string{"other"}, nil, "q", false},
		"listed, and off":               {[]string{"p"}, []string{"p"}, "q", false},
		"listed, and it is not moved":   {[]string{"other"}, nil, "other", true},
		"not listed, and it is no copy": {[]string{"p"}, nil, "other", false},
		"off, and another is at p":      {nil, []string{"p"}, "new", false},
		"off, and has a remote":         {nil, []string{"p"}, "remote", false},
		"listed, and has a remote":      {[]string{"p"}, nil, "remote", true},
		"another at p, which is off":    {nil, []string{"p"}, "p", true},
	} {
		kinds := []memory.EventKind{memory.EventPrompt}
		if name == "on" || name == "off" {
			kinds = append(kinds, memory.EventCommandSucceeded, memory.EventSessionStarted)
		}
		for _, first := range kinds {
			t.Run(name+", "+string(first), func(t *testing.T) {
				a, _, _ := daemontest.New(t)
				dir := project.Resolved(t.TempDir())
				folder := func(name string) string { return filepath.Join(dir, name) }
				mark := a.Layout.OffMarker
				a.Now = time.Now
				a.Rebuild()
				event := func(n int, kind memory.EventKind, name string) memory.Event {
					e := daemontest.Event(n, kind)
					e.At = time.Now().Add(time.Minute) // after the files that say what is off
					e.ID, e.Session, e.Tool, e.Command = memory.NewEventID(e.At), name, "Bash", "make"
					e.Prompt = "From now on we always squash commits."
					where, _ := project.Identify(folder(name))
					e.Project = memory.Project{Key: where.Key, Name: where.Name, Root: where.Root}
					e.Held = where.IsUnsure(mark(where.Key))
					return e
				}
				repository := func(name, from string) {
					musttest.Do(t, os.CopyFS(folder(name), os.DirFS(filepath.Join(made, from))))
				}
				for _, name := range []string{"p", "other"} {
					repository(name, name)
					daemontest.Ingested(t, a, event(0, memory.EventPrompt, name))
				}
				write := func(file string) {
					t.Helper()
					musttest.Do(t, os.MkdirAll(filepath.Dir(file), 0o700))
					musttest.Do(t, os.WriteFile(file, nil, 0o600))
				}
				write(mark("none"))
				for _, name := range c.off {
					where, _ := project.Identify(folder(name))
					musttest.Do(t, where.SwitchOff(project.FirstCommits(t.Context(), where.Root), mark(where.Key)))
				}
				for _, name := range c.listed {
					where, _ := project.Identify(folder(name))
					musttest.Do(t, where.List(mark(where.Key)))
				}
				musttest.Do(t, os.Rename(folder("p"), folder("q")))
				last := c.folder
				switch last {
				case "p":
					repository("p", "new")
				case "new":
					repository("p", "new")
					last = "q"
				case "remote":
					last = "q"
					git("-C", folder(last), "remote", "add", "origin", "https://example.org/a/p")
				}
				e := event(1, first, last)
				e.Session = "s3"
				daemontest.Ingested(t, a, e)
				_, err := memory.RecordOf(t.Context(), a.Store, "s3")
				if isStored := err == nil; isStored != c.isStored {
					t.Errorf("it is stored: %t, %v", isStored, err)
				}
				if next := event(2, first, last); next.Held {
					t.Error("the next event is held back again")
				}
			})
		}
	}
}
