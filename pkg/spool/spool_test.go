package spool_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/alloctest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

var start = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

func event(at time.Time, prompt string) memory.Event {
	return memory.Event{ID: memory.NewEventID(at), At: at, Kind: memory.EventPrompt, Session: "s1", Project: memory.Project{Key: "p", Name: "p", Root: "/p"}, Prompt: prompt}
}

func put(t *testing.T, s *spool.Spool, e memory.Event) {
	t.Helper()
	musttest.Do(t, s.Put(e))
}

func claim(t *testing.T, s *spool.Spool, limit int) []spool.Claim {
	t.Helper()
	return musttest.Get(s.Claim(limit))(t)
}

// TestEventsComeOutOldestFirstUntilTheyAreAcknowledged, each as it went in. Acknowledging twice is acknowledging once.
func TestEventsComeOutOldestFirstUntilTheyAreAcknowledged(t *testing.T) {
	s := spool.New(filepath.Join(t.TempDir(), "spool"))
	first, second := event(start, "kept"), event(start.Add(time.Second), "acknowledged")
	put(t, s, second)
	put(t, s, first)
	claims := claim(t, s, 10)
	var got []memory.Event
	for _, c := range claims {
		if c.Err != nil {
			t.Fatal(c.Err)
		}
		got = append(got, c.Event)
	}
	musttest.Same(t, []memory.Event{first, second}, got, "claimed events")
	musttest.Do(t, s.Ack(claims[1].Name, claims[1].Name))

	// The daemon is killed here; the next one begins with Recover.
	if back, isDead, err := s.Recover(); err != nil || back != 1 || isDead {
		t.Fatalf("recovered %d (%v), want 1 event", back, err)
	}
	again := claim(t, s, 10)
	if len(again) != 1 || again[0].Event.Prompt != "kept" {
		t.Errorf("claimed %+v after recovery, want the kept event alone", again)
	}
}

func TestAFileThatIsNoEventIsBuriedWithItsReason(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	s := spool.New(dir)
	put(t, s, event(start, "good"))
	bad := map[string]string{
		"0-garbage.json":  "{not json",
		"1-empty.json":    "",
		"2-nothing.json":  "{}",
		"3-unknown.json":  `{"id":"a","at":"2026-01-01T00:00:00Z","kind":"dance","session":"s","project":{"key":"p"}}`,
		"4-no-event.json": "[]",
	}
	for name, content := range bad {
		musttest.Do(t, os.WriteFile(filepath.Join(dir, "new", name), []byte(content), 0o600))
	}
	for _, c := range claim(t, s, 100) {
		if _, isBad := bad[c.Name]; !isBad {
			continue
		}
		if !errors.Is(c.Err, memory.ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", c.Name, c.Err)
		}
		musttest.Do(t, s.DeadLetter(c.Name, c.Err))
		for _, file := range []string{c.Name, c.Name + ".reason"} {
			musttest.Is(t, nil, musttest.Err(os.Stat(filepath.Join(dir, "dead", file))), "dead letter")
		}
	}
	counts := musttest.Get(s.Counts())(t)
	musttest.Same(t, spool.Counts{Claimed: 1, Dead: len(bad)}, counts, "counts (-want +got)")
}

func TestFilesAreTheUsersAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	s := spool.New(dir)
	put(t, s, event(start, "x"))
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		musttest.Same(t, want, info.Mode().Perm(), "%s has mode", path)
		return nil
	})
	musttest.Do(t, err)
}

func TestEventIDsSortByTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := time.Unix(0, rapid.Int64Range(0, 1<<62).Draw(t, "a"))
		b := time.Unix(0, rapid.Int64Range(0, 1<<62).Draw(t, "b"))
		if a.Before(b) && memory.NewEventID(a) >= memory.NewEventID(b) {
			t.Errorf("id of %s does not sort before that of %s", a, b)
		}
	})
}

// TestEventsAreCountedWhileTheyMove counts while events are claimed one by one and put back all at once.
func TestEventsAreCountedWhileTheyMove(t *testing.T) {
	const events, rounds = 50, 20
	s := spool.New(filepath.Join(t.TempDir(), "spool"))
	for i := range events {
		put(t, s, event(start.Add(time.Duration(i)*time.Second), "x"))
	}
	moved := make(chan error, 1)
	go func() {
		var err error
		for range rounds {
			var names []string
			for range events {
				claims, claimErr := s.Claim(1)
				for _, c := range claims {
					names = append(names, c.Name)
				}
				err = errors.Join(err, claimErr)
			}
			err = errors.Join(err, s.Release(names...))
		}
		moved <- err
	}()
	for {
		if counts, err := s.Counts(); err != nil || counts.New+counts.Claimed != events {
			t.Errorf("%d events count as %+v (%v)", events, counts, err)
		}
		select {
		case err := <-moved:
			if err != nil {
				t.Error(err)
			}
			return
		default:
		}
	}
}

// TestAHookAllocatesLittle limits the allocations of a hook that encodes an event and writes it to the spool.
func TestAHookAllocatesLittle(t *testing.T) {
	s := spool.New(filepath.Join(t.TempDir(), "spool"))
	e := event(start, "")
	e.Kind, e.Tool, e.Command, e.Output = memory.EventCommandSucceeded, "Bash", "go test ./...", strings.Repeat("ok  \tgithub.com/acme/app/pkg/token\t0.412s\n", 20)
	n := 0
	alloctest.AtMost(t, 90, 9_000, func() {
		n++
		e.ID = memory.NewEventID(start.Add(time.Duration(n) * time.Second))
		put(t, s, e)
	})
}

// Many writers put the first event of a home at the same instant: each must find or create the folders.
func TestManyMakeASpoolAtOnce(t *testing.T) {
	const rounds, racers = 20, 16
	for round := range rounds {
		s := spool.New(filepath.Join(t.TempDir(), "home", "spool"))
		ready := make(chan struct{})
		var all sync.WaitGroup
		for n := range racers {
			all.Go(func() {
				<-ready
				musttest.Is(t, nil, s.Put(event(start, strconv.Itoa(n))), "round %d", round)
			})
		}
		close(ready)
		all.Wait()
		if counts, err := s.Counts(); err != nil || counts != (spool.Counts{New: racers}) {
			t.Errorf("round %d: the spool has %+v, %v, want %d new events", round, counts, err, racers)
		}
	}
}
