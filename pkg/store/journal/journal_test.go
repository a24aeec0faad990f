package journal_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
)

// clock is a clock that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func noon(day int) time.Time { return time.Date(2026, 11, day, 12, 0, 0, 123456789, time.UTC) }

func open(t testing.TB, c *clock) *journal.Journal {
	t.Helper()
	j := journal.New(filepath.Join(t.TempDir(), "journal"), c.now)
	t.Cleanup(func() { _ = j.Close() })
	return j
}

func event(n int) journal.Record {
	return recordOf(memory.Prompt{ID: fmt.Sprintf("e%d", n), At: noon(1).Add(time.Duration(n) * time.Second), Session: "s", Project: "p", Text: "line\nwith \x00 and \u2028 & <tags> é"})
}

// recordOf returns the record of a new row.
func recordOf(row any) journal.Record { return journal.Record{RowChange: memory.RowChange{After: row}} }

func promptOf(r journal.Record) memory.Prompt { return r.After.(memory.Prompt) }

func appendTo(t testing.TB, j *journal.Journal, records ...journal.Record) {
	t.Helper()
	musttest.Do(t, j.Append(records...))
}

func read(t testing.TB, dir, after string) ([]journal.Record, journal.Report) {
	t.Helper()
	var all []journal.Record
	report := musttest.Get(journal.Read(dir, after, func(r journal.Record) error {
		all = append(all, r)
		return nil
	}))(t)
	musttest.Same(t, len(all), report.Records, "reported records")
	return all, report
}

// reads checks the ids of the records after a segment, and how many problems are reported.
func reads(t *testing.T, dir, after, want string, problems int) {
	t.Helper()
	got, report := read(t, dir, after)
	if ids(got) != want || len(report.Problems) != problems {
		t.Errorf("read %s with the problems %v, want %s with %d", ids(got), report.Problems, want, problems)
	}
}

func ids(records []journal.Record) string {
	var all []string
	for _, r := range records {
		all = append(all, promptOf(r).ID)
	}
	return strings.Join(all, " ")
}

func files(t testing.TB, dir string) string {
	t.Helper()
	entries := musttest.Get(os.ReadDir(dir))(t)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
		info, err := entry.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %s (%v), want 0600", entry.Name(), info.Mode(), err)
		}
	}
	return strings.Join(names, " ")
}

func TestEveryKindOfRecordIsReadBackAsItWas(t *testing.T) {
	c := &clock{noon(1)}
	j := open(t, c)
	m := memory.Memory{ID: "m", Content: "text", Importance: 0.30000000000000004, Tags: []string{"x"}, CreatedAt: noon(1), LastSeenAt: noon(2)}
	row := memory.Row{Memory: m, UsedAt: noon(1), DerivedFrom: []string{"n"}}
	bare := memory.Row{Memory: memory.Memory{ID: "m"}}
	project := memory.ProjectRow{Project: memory.Project{Key: "p", Name: "p", Root: "/p", SeenAt: noon(1)}, MergedInto: "q"}
	barely := memory.ProjectRow{Project: memory.Project{Key: "p"}}
	changed := func(before, after any) journal.Record {
		return journal.Record{RowChange: memory.RowChange{Before: before, After: after}}
	}
	want := []journal.Record{
		event(1),
		recordOf(project), changed(barely, project), changed(barely, nil), changed(memory.ProjectRow{}, nil),
		recordOf(memory.ActiveDay{Project: "p", Day: "2026-11-01"}),
		recordOf(memory.EventRow{ID: "r", Session: "s", At: noon(1), Events: []memory.SessionEvent{{ID: "e", Kind: memory.EventFileChanged, Text: "Edited a.go", Files: []string{"a.go"}, At: noon(1)}}}),
		changed(memory.Session{ID: "s"}, memory.Session{ID: "s", Project: "p", StartedAt: noon(1), LastEventAt: noon(2), Summary: memory.Summary{Text: "t"}}),
		recordOf(row), changed(bare, row), changed(bare, nil),
		recordOf(memory.Sighting{ID: "e", Memory: "m", Session: "s", At: noon(1)}),
		recordOf(memory.Use{Memory: "m", Session: "s", At: noon(1)}),
		recordOf(memory.Distillation{Session: "s", NextTry: noon(1), QueuedAt: noon(1)}),
		recordOf(memory.Spend{ID: "c", At: noon(1), Input: 3, USD: 0.001}),
		changed(memory.Run{ID: "r"}, memory.Run{ID: "r", Job: "prune", Trigger: "cron", StartedAt: noon(1), Notes: []string{"note"}, Actions: []memory.Action{
			{
				ID: "r-0", Memory: "m", Kind: "archive", Reason: "it has faded",
				Before: memory.State{Status: memory.StatusActive, Tags: []string{"x"}, UsedAt: noon(1)},
				After:  memory.State{Status: memory.StatusArchived, RetiredAt: noon(2), UsedAt: noon(2)},
				Fields: []string{"superseded_by"}, // decided on another machine as it was here
			},
		}}),
	}
	injected := memory.RowChange{After: memory.Injection{ID: "i"}}
	musttest.Same(t, 1, len(journal.Records(memory.Write{Rows: []memory.RowChange{want[0].RowChange, injected}})), "an injection is journaled")
	appendTo(t, j, want...)
	for i := range want {
		want[i].At = noon(1)
	}
	got, report := read(t, j.Dir(), "")
	musttest.Same(t, want, got, "read back")
	musttest.Same(t, 0, len(report.Problems), "report is %+v", report)
}

func TestAnyRowIsReadBackAsItWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir := musttest.Get(os.MkdirTemp("", "journal"))(t)
		defer func() { _ = os.RemoveAll(dir) }()
		j := journal.New(dir, func() time.Time { return noon(1) })
		var want []journal.Record
		at := noon(1)
		for range rapid.IntRange(0, 5).Draw(t, "batches") {
			var batch []journal.Record
			for range rapid.IntRange(0, 4).Draw(t, "events") {
				m := memory.Memory{ID: rapid.String().Draw(t, "id")}
				m.LastSeenAt = time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "s"), rapid.Int64Range(0, 999999999).Draw(t, "ns")).UTC()
				m.Content, m.Detail = rapid.String().Draw(t, "text"), rapid.String().Draw(t, "output")
				m.Tags = rapid.SliceOfN(rapid.String(), 1, 3).Draw(t, "tags")
				r := recordOf(memory.Row{Memory: m})
				r.At = at // each batch has a time of its own, though the clock stands still
				batch = append(batch, r)
			}
			if len(batch) > 0 {
				at = at.Add(1)
			}
			musttest.Do(t, j.Append(batch...))
			want = append(want, batch...)
			if rapid.Bool().Draw(t, "tend") {
				musttest.Do(t, j.Close())
				musttest.Do(t, j.Compact(30))
			}
		}
		var got []journal.Record
		musttest.Get(journal.Read(dir, "", func(r journal.Record) error { got = append(got, r); return nil }))(t)
		musttest.Same(t, want, got, "read back")
		musttest.Do(t, j.Close())
	})
}

func TestASegmentEndsWithItsDayAndOldOnesGo(t *testing.T) {
	c := &clock{noon(1)}
	j := open(t, c)
	for day := 1; day <= 5; day++ {
		c.at = noon(day)
		appendTo(t, j, event(day))
	}
	musttest.Do(t, j.Compact(2))
	musttest.Same(t, "2026-11-03.000001.jsonl.gz 2026-11-04.000001.jsonl.gz 2026-11-05.000001.jsonl", files(t, j.Dir()), "files")
	got, _ := read(t, j.Dir(), "")
	musttest.Same(t, "e3 e4 e5", ids(got), "read")
	reads(t, j.Dir(), "2026-11-04.000001", "e5", 0)
	before := files(t, j.Dir())
	if err := j.Compact(2); err != nil || files(t, j.Dir()) != before {
		t.Errorf("the second time: %s, %v, before %s", files(t, j.Dir()), err, before)
	}
}

func TestEveryWriterBeginsASegmentAfterAllOthersWhateverItsClock(t *testing.T) {
	c := &clock{noon(3)}
	first := open(t, c)
	appendTo(t, first, event(1))
	c.at = noon(2) // set back
	appendTo(t, first, event(2))
	second := journal.New(first.Dir(), c.now)
	appendTo(t, second, event(3))
	musttest.Do(t, second.Close())
	musttest.Same(t, "2026-11-03.000001.jsonl 2026-11-03.000002.jsonl", files(t, first.Dir()), "files")
	reads(t, first.Dir(), "", "e1 e2 e3", 0)
}

func TestATornLastLineIsSkipped(t *testing.T) {
	c := &clock{noon(1)}
	j := open(t, c)
	appendTo(t, j, event(1), event(2))
	path := filepath.Join(j.Dir(), "2026-11-01.000001.jsonl")
	whole := musttest.Get(os.ReadFile(path))(t)
	next := journal.New(j.Dir(), c.now) // as after a crash
	defer func() { _ = next.Close() }()
	appendTo(t, next, event(3))
	end := strings.Index(string(whole), "\n") + 1
	for cut := end + 1; cut < len(whole)-1; cut += 7 {
		musttest.Do(t, os.WriteFile(path, whole[:cut], 0o600))
		got, report := read(t, j.Dir(), "")
		if ids(got) != "e1 e3" || len(report.Problems) != 1 {
			t.Fatalf("cut at %d: read %s, %+v", cut, ids(got), report.Problems)
		}
	}
}

func TestACorruptSegmentIsReportedAndTheRestIsRead(t *testing.T) {
	c := &clock{noon(1)}
	j := open(t, c)
	for day := 1; day <= 3; day++ {
		c.at = noon(day)
		appendTo(t, j, event(10*day), event(10*day+1), event(10*day+2))
	}
	flip := func(name, text string) {
		path := filepath.Join(j.Dir(), name)
		whole := musttest.Get(os.ReadFile(path))(t)
		musttest.Do(t, os.WriteFile(path, []byte(strings.Replace(string(whole), text, "X"+text[1:], 1)), 0o600))
	}
	flip("2026-11-03.000001.jsonl", `e31`) // still valid JSON: only the checksum reveals it
	got, report := read(t, j.Dir(), "")
	if ids(got) != "e10 e11 e12 e20 e21 e22 e30 e32" || len(report.Problems) != 1 || !strings.Contains(report.Problems[0], "line 2") {
		t.Errorf("read %s, %v", ids(got), report.Problems)
	}
	musttest.Do(t, j.Compact(30))
	path := filepath.Join(j.Dir(), "2026-11-02.000001.jsonl.gz")
	whole := musttest.Get(os.ReadFile(path))(t)
	musttest.Do(t, os.WriteFile(path, whole[:len(whole)/2], 0o600))
	got, report = read(t, j.Dir(), "")
	if !strings.HasPrefix(ids(got), "e10 e11 e12") || !strings.HasSuffix(ids(got), "e30 e32") || len(report.Problems) != 3 {
		t.Errorf("read %s, %v", ids(got), report.Problems)
	}
	musttest.Do(t, os.WriteFile(path, []byte("not gzip"), 0o600))
	reads(t, j.Dir(), "", "e10 e11 e12 e30 e32", 2)
}

func TestACrashInTheMiddleOfCompressingLosesNothing(t *testing.T) {
	c := &clock{noon(1)}
	j := open(t, c)
	appendTo(t, j, event(1))
	c.at = noon(2)
	appendTo(t, j, event(2))
	open := filepath.Join(j.Dir(), "2026-11-01.000001.jsonl")
	whole := musttest.Get(os.ReadFile(open))(t)
	musttest.Do(t, os.WriteFile(filepath.Join(j.Dir(), "."+filepath.Base(open)+".gz.unfinished-1"), []byte("half"), 0o600))
	reads(t, j.Dir(), "", "e1 e2", 0)
	musttest.Do(t, j.Compact(30))
	musttest.Do(t, os.WriteFile(open, whole, 0o600)) // compressed, and not yet removed
	reads(t, j.Dir(), "", "e1 e2", 0)
	musttest.Do(t, j.Compact(30))
	musttest.Same(t, "2026-11-01.000001.jsonl.gz 2026-11-02.000001.jsonl", files(t, j.Dir()), "files")
}

func TestRemovedRecordsAreInNoSegment(t *testing.T) {
	c := &clock{noon(1)}
	j := open(t, c)
	secret := recordOf(memory.Prompt{ID: "e1", Project: "secret", Text: "hunter2"})
	appendTo(t, j, secret, event(2))
	c.at = noon(2)
	appendTo(t, j, event(3))
	musttest.Do(t, j.Compact(30))
	appendTo(t, j, secret)
	closed, err := filepath.Glob(filepath.Join(j.Dir(), "*.gz"))
	if err != nil || len(closed) == 0 {
		t.Fatalf("closed segments %v, %v", closed, err)
	}
	left := strings.TrimSuffix(closed[0], ".gz") // a killed writer may leave it
	musttest.Do(t, os.WriteFile(left, nil, 0o600))
	for _, apply := range []bool{false, true} {
		done, err := j.Rewrite(apply, true, func(r journal.Record) (journal.Record, bool) {
			if promptOf(r).Project == "secret" {
				return journal.Record{}, true
			}
			return r, false
		})
		if n := done.Records + done.Lost; err != nil || n != 2 {
			t.Errorf("removed %d, %v", n, err)
		}
		if _, err := os.Stat(left); errors.Is(err, fs.ErrNotExist) != apply {
			t.Errorf("apply %v: the file that a killed writer left: %v", apply, err)
		}
	}
	appendTo(t, j, event(4))
	reads(t, j.Dir(), "", "e2 e3 e4", 0)
	files(t, j.Dir())
}

func TestAnErrorOfTheReaderEndsReading(t *testing.T) {
	j := open(t, &clock{noon(1)})
	appendTo(t, j, event(1), event(2))
	stop := errors.New("stop")
	musttest.Is(t, stop, musttest.Err(journal.Read(j.Dir(), "", func(journal.Record) error { return stop })), "read the journal")
	if report, err := journal.Read(filepath.Join(j.Dir(), "nowhere"), "", nil); err != nil || report.Records != 0 {
		t.Errorf("a journal that was never written: %+v, %v", report, err)
	}
}

func TestAppendingWhileTendingLosesNothing(t *testing.T) {
	j := open(t, &clock{noon(1)})
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := range 25 {
				musttest.Is(t, nil, j.Append(event(100*worker+i)), "j.Append")
			}
		})
	}
	all.Go(func() {
		for range 10 {
			musttest.Is(t, nil, j.Close(), "j.Close")
			musttest.Is(t, nil, j.Compact(30), "j.Compact")
		}
	})
	all.Wait()
	if got, report := read(t, j.Dir(), ""); len(got) != 100 || len(report.Problems) != 0 {
		t.Errorf("read %d of 100, %v", len(got), report.Problems)
	}
}

// BenchmarkAppend measures journaling one batch of an ingest.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{1, 25, 100} {
		b.Run(fmt.Sprint("batch ", size), func(b *testing.B) {
			j := open(b, &clock{noon(1)})
			batch := make([]journal.Record, size)
			for i := range batch {
				batch[i] = recordOf(memory.Prompt{ID: fmt.Sprint(i), Text: strings.Repeat("a line of output\n", 30)})
			}
			for b.Loop() {
				musttest.Do(b, j.Append(batch...))
			}
		})
	}
}

func TestTheLastRecordsAreThoseAtTheEnd(t *testing.T) {
	dir, now := filepath.Join(t.TempDir(), "journal"), time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	last := func() (names []string) {
		t.Helper()
		musttest.Do(t, journal.ReadLast(dir, func(r journal.Record) { names = append(names, strings.TrimSpace(promptOf(r).Text)) }))
		return names
	}
	musttest.Same(t, nil, last(), "a journal that is not there ends with")
	j := journal.New(dir, func() time.Time { return now })
	write := func(name string) {
		t.Helper()
		musttest.Do(t, j.Append(recordOf(memory.Prompt{ID: "e", Text: name})))
	}
	for n := range 20 {
		write(fmt.Sprint(n, strings.Repeat(" ", 100_000)))
	}
	if got := last(); len(got) < 3 || len(got) > 6 || got[len(got)-1] != "19" {
		t.Errorf("a long segment ends with %v", got)
	}
	now = now.AddDate(0, 0, 1)
	write("next day")
	musttest.Do(t, j.Close())
	if got := last(); len(got) != 1 || got[0] != "next day" {
		t.Errorf("the next day's segment ends with %v", got)
	}
	segments, err := filepath.Glob(filepath.Join(dir, "2026-11-21*"))
	if err != nil || len(segments) != 1 {
		t.Fatal(segments, err)
	}
	whole := musttest.Get(os.ReadFile(segments[0]))(t)
	if err := os.WriteFile(segments[0], append(whole, `{"at":"20`...), 0o600); err != nil { // its writer was killed
		t.Fatal(err)
	}
	if got := last(); len(got) != 1 || got[0] != "next day" {
		t.Errorf("a torn segment ends with %v", got)
	}
	musttest.Do(t, os.WriteFile(segments[0], nil, 0o600))
	if got := last(); len(got) == 0 || got[len(got)-1] != "19" {
		t.Errorf("behind an empty segment the journal ends with %v", got)
	}
}
