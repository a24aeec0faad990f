package intake_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

func TestARefusedEventDoesNotStopAnImport(t *testing.T) {
	a, store, _ := daemontest.New(t)
	store.Fail = func(b memory.Batch) error {
		for _, m := range b.Memories {
			if strings.Contains(m.Content, "poison") {
				return errors.New("refused")
			}
		}
		return nil
	}
	var events []memory.Event
	for n := range 10 {
		events = append(events, daemontest.ImportedNote(n, fmt.Sprint("fact ", n)))
	}
	events[7] = daemontest.ImportedNote(7, "poison")
	invalid := daemontest.ImportedNote(11, "")
	result, err := a.Intake.Import(t.Context(), daemonapi.ImportParams{Events: append(events, invalid)})
	if err != nil || result.Events != 9 || len(result.Refused) != 2 {
		t.Fatalf("%+v, %v", result, err)
	}
	if result.Refused[0].ID != invalid.ID || result.Refused[1].ID != events[7].ID {
		t.Errorf("refused %+v", result.Refused)
	}
	if s, err := store.Totals(t.Context(), memory.Counts("")); err != nil || s.Memories != 9 || s.Sightings != 9 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestAnImportIntoAStoreThatIsGoneMayBeTriedAgain(t *testing.T) {
	a, store, _ := daemontest.New(t)
	store.Fail = func(memory.Batch) error { return memory.ErrUnavailable }
	params := daemonapi.ImportParams{Events: []memory.Event{daemontest.ImportedNote(1, "fact"), daemontest.ImportedSession("what it came to.")}}
	if result, err := a.Intake.Import(t.Context(), params); !errors.Is(err, memory.ErrUnavailable) || len(result.Refused) != 0 {
		t.Fatalf("%+v, %v", result, err)
	}
	store.Fail = nil
	if result, err := a.Intake.Import(t.Context(), params); err != nil || result.Added != 1 {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestAnImportedSummaryStaysUntilTheSessionGoesOn(t *testing.T) {
	a, store, spooled := daemontest.New(t)
	summary := func() string {
		t.Helper()
		record := musttest.Get(memory.RecordOf(t.Context(), store, "s1"))(t)
		session := record.Session
		return session.Summary.Text
	}
	musttest.Get(a.Intake.Import(t.Context(), daemonapi.ImportParams{Events: []memory.Event{daemontest.ImportedSession("2025: what it came to."), daemontest.ImportedNote(1, "fact")}}))(t)
	musttest.Same(t, "2025: what it came to.", summary(), "summary (-want +got)")
	musttest.Get(a.Intake.Import(t.Context(), daemonapi.ImportParams{Events: []memory.Event{daemontest.ImportedNote(2, "another fact")}}))(t)
	musttest.Same(t, "2025: what it came to.", summary(), "summary (-want +got)")
	for i, e := range []memory.Event{{Kind: memory.EventPrompt, Prompt: "go on"}, {Kind: memory.EventSessionEnded, Reason: "other"}} {
		e.ID, e.At, e.Session, e.Project = memory.NewEventID(daemontest.Noon), daemontest.Noon.Add(time.Duration(i)*time.Minute), "s1", daemontest.ImportedProject
		musttest.Do(t, spooled.Put(e))
	}
	musttest.Get(a.Intake.Ingest(t.Context()))(t)
	if got := summary(); !strings.Contains(got, `asked "go on"`) || !strings.Contains(got, "summed up as: 2025: what it came to") {
		t.Errorf("summary %q of a session that went on", got)
	}
}

func TestAnInterruptedImportIsSummedUpByTheNext(t *testing.T) {
	a, store, _ := daemontest.New(t)
	session := daemontest.ImportedSession("2025: what it came to.")
	musttest.Get(a.Intake.Import(t.Context(), daemonapi.ImportParams{Events: []memory.Event{session}}))(t)
	musttest.Do(t, store.Ingest(t.Context(), memory.Batch{Summaries: []memory.SessionSummary{{Session: "s1", Summary: memory.Summary{Text: "stale"}}}}))
	musttest.Get(a.Intake.Import(t.Context(), daemonapi.ImportParams{Events: []memory.Event{session}}))(t)
	record, err := memory.RecordOf(t.Context(), store, "s1")
	if s := record.Session; err != nil || s.Summary.Text != "2025: what it came to." || s.State != memory.SessionCompleted {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestALineIsOneWordWhicheverFileHasIt: what hooks captured in a session, or an import brought, and what is imported of other sessions, which
// may begin with a copy of its history. A memory counts as said again if the user typed it again.
func TestALineIsOneWordWhicheverFileHasIt(t *testing.T) {
	const rule, passing = "Remember: deploy with make", "From now on we deploy with make, never by hand."
	hook := func(session, text string, second int) memory.Event {
		e := daemontest.Prompt(1, text)
		e.At, e.Session = daemontest.Noon.Add(-2*time.Hour+time.Duration(second)*time.Second), session
		e.ID = memory.NewEventID(e.At)
		return e
	}
	line := func(session, text string, second int, uuid string) memory.Event {
		e := hook(session, text, second)
		e.ID = memory.NewImportID("transcript", uuid)
		return e
	}
	for name, c := range map[string]struct {
		captured []memory.Event
		imported [][]memory.Event // one import each
		said     int              // 0: not again
	}{
		"a fork":                            {[]memory.Event{hook("s", rule, 0)}, [][]memory.Event{{line("f", rule, 2, "a")}}, 0},
		"a fork, its line a bit earlier":    {[]memory.Event{hook("s", rule, 3)}, [][]memory.Event{{line("f", rule, 0, "a")}}, 0},
		"a fork with words of its own":      {[]memory.Event{hook("s", rule, 0)}, [][]memory.Event{{line("f", rule, 1, "a"), line("f", "and now?", 90, "b")}}, 0},
		"a fork of a fork":                  {[]memory.Event{hook("s", rule, 0)}, [][]memory.Event{{line("f", rule, 1, "a")}, {line("g", rule, 1, "a")}}, 0},
		"a fork with new uuids":             {nil, [][]memory.Event{{line("s", rule, 1, "a")}, {line("f", rule, 1, "b")}}, 0},
		"two forks with new uuids at once":  {nil, [][]memory.Event{{line("s", rule, 1, "a"), line("f", rule, 1, "b"), line("g", rule, 1, "c")}}, 0},
		"a sentence in passing":             {[]memory.Event{hook("s", passing, 0)}, [][]memory.Event{{line("f", passing, 2, "a")}}, 0},
		"several lines":                     {[]memory.Event{hook("s", rule+"\n\n"+passing, 0)}, [][]memory.Event{{line("f", rule+"\n\n"+passing, 2, "a")}}, 0},
		"twice in the original":             {[]memory.Event{hook("s", rule, 0), hook("s", rule, 900)}, [][]memory.Event{{line("f", rule, 1, "a"), line("f", rule, 901, "b")}}, 0},
		"the fork captured, too":            {[]memory.Event{hook("s", rule, 0), hook("f", "and now?", 90)}, [][]memory.Event{{line("f", rule, 1, "a"), line("f", "and now?", 91, "b")}}, 0},
		"imported twice":                    {[]memory.Event{hook("s", rule, 0)}, [][]memory.Event{{line("f", rule, 1, "a")}, {line("f", rule, 1, "a")}}, 0},
		"typed again in the fork":           {[]memory.Event{hook("s", rule, 0)}, [][]memory.Event{{line("f", rule, 1, "a"), line("f", rule, 900, "b")}}, 2},
		"typed again in another session":    {[]memory.Event{hook("s", rule, 0)}, [][]memory.Event{{line("o", rule, 900, "a")}}, 2},
		"typed again, then forked":          {[]memory.Event{hook("s", rule, 0), hook("o", rule, 900)}, [][]memory.Event{{line("f", rule, 901, "a")}}, 2},
		"typed again between, first forked": {[]memory.Event{hook("s", rule, 0), hook("o", rule, 900)}, [][]memory.Event{{line("f", rule, 1, "a")}}, 2},
	} {
		a, store, spooled := daemontest.New(t)
		a.Now = func() time.Time { return daemontest.Noon }
		daemontest.Put(t, spooled, c.captured...)
		for _, events := range append([][]memory.Event{nil}, c.imported...) {
			musttest.Get(a.Intake.Import(t.Context(), daemonapi.ImportParams{Events: events}))(t)
		}
		rows := musttest.Get(store.Rows(t.Context(), memory.Filter{}))(t)
		if len(rows) == 0 {
			t.Errorf("%s: nothing is stored", name)
		}
		for _, row := range rows {
			musttest.Same(t, c.said, row.Memory.Said(), "%s: how often %q was said", name, row.Memory.Content)
			musttest.Same(t, strings.HasSuffix(rule, row.Memory.Content), row.UserWritten, "%s: whether %q was asked for", name, row.Memory.Content)
		}
	}
}

// TestATurnIsOneEventWhateverWayItCame: hooks capture a part of a session from anywhere, some of it late, and its transcript is
// imported in between, as often as one likes. Whatever the order, each turn that came is stored once.
func TestATurnIsOneEventWhateverWayItCame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, _, spooled := daemontest.Drawn(t, rt)
		const turns = 3
		from := rapid.IntRange(0, turns).Draw(rt, "captured from")
		var captured, late, written []memory.Event
		want := map[string]bool{}
		for n := range turns {
			text := rapid.SampledFrom([]string{"go on", "From now on we always squash commits.", "Remember: the bucket is called larch."}).Draw(rt, "prompt")
			for i, e := range []memory.Event{
				{Kind: memory.EventPrompt, Prompt: text},
				{Kind: memory.EventCommandSucceeded, Tool: "Bash", Command: "make test"},
				{Kind: memory.EventTurnEnded, Text: "Understood, it is done."},
			} {
				e.At, e.Session, e.Project, e.Dir = daemontest.Noon.Add(time.Duration(n-turns)*time.Hour+time.Duration(i)*10*time.Second), "s1", daemontest.ImportedProject, "/p"
				line := e
				line.ID, line.At = memory.NewImportID("test", fmt.Sprint(n, i)), e.At.Add(300*time.Millisecond)
				written = append(written, line)
				if e.ID = memory.NewEventID(e.At); n >= from {
					want[fmt.Sprint(n, e.Kind)] = true
					if isLate := rapid.Bool().Draw(rt, "late"); isLate {
						late = append(late, e)
					} else {
						captured = append(captured, e)
					}
				}
			}
			a.Now = func() time.Time { return daemontest.Noon.Add(time.Duration(n-turns)*time.Hour + time.Minute) }
			daemontest.Put(t, spooled, captured...)
			captured = nil
			for _, step := range rapid.SliceOfN(rapid.SampledFrom([]string{"import", "ingest", "put"}), 0, 3).Draw(rt, "steps") {
				var err error
				switch step {
				case "import":
					_, err = a.Intake.Import(t.Context(), daemonapi.ImportParams{Events: written})
					for m := range n + 1 {
						for _, e := range written[:3] {
							want[fmt.Sprint(m, e.Kind)] = true
						}
					}
				case "put":
					daemontest.Put(t, spooled, late...)
					late = nil
				default:
					_, err = a.Intake.Ingest(t.Context())
				}
				if err != nil {
					rt.Fatal(err)
				}
			}
		}
		daemontest.Put(t, spooled, late...)
		a.Now = func() time.Time { return daemontest.Noon }
		musttest.Get(a.Intake.Ingest(t.Context()))(rt)
		if len(want) == 0 {
			return
		}
		record := musttest.Get(memory.RecordOf(t.Context(), a.Store, "s1"))(rt)
		got := map[string]int{}
		count := func(kind memory.EventKind, at time.Time) {
			got[fmt.Sprint(int(at.Sub(daemontest.Noon.Add(-turns*time.Hour))/time.Hour), kind)]++
		}
		for _, p := range record.Prompts {
			count(memory.EventPrompt, p.At)
		}
		for _, e := range record.SessionEvents {
			count(e.Kind, e.At)
		}
		once := map[string]int{}
		for one := range want {
			once[one] = 1
		}
		musttest.Same(rt, once, got, "stored (-want +got)")
		seen := map[string]int{}
		for _, s := range record.Seen {
			if seen[fmt.Sprint(s.Memory.ID, s.At.Truncate(time.Hour))]++; seen[fmt.Sprint(s.Memory.ID, s.At.Truncate(time.Hour))] > 1 {
				rt.Errorf("seen twice in one turn: %s", s.Memory.Content)
			}
		}
	})
}

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
				repository := func(name, from string) { musttest.Do(t, os.CopyFS(folder(name), os.DirFS(filepath.Join(made, from)))) }
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
