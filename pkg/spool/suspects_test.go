package spool_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// TestAnEventThatEndsItsDaemonsIsFound: daemons end as soon as they have claimed a certain event.
func TestAnEventThatEndsItsDaemonsIsFound(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	s := spool.New(dir)
	for n := range 9 {
		put(t, s, event(start.Add(time.Duration(n)*time.Second), strconv.Itoa(n)))
	}
	var stored []string
	daemons := 0
	for len(stored) < 8 {
		if daemons++; daemons > 20 {
			t.Fatalf("%d daemons stored %v", daemons, stored)
		}
		_, _, err := s.Recover()
		musttest.Do(t, err)
		for {
			claims := claim(t, s, 4)
			if len(claims) == 0 {
				break
			}
			isPoison := false
			for _, c := range claims {
				isPoison = isPoison || c.Event.Prompt == "5"
			}
			if isPoison {
				break // the daemon ends
			}
			for _, c := range claims {
				stored = append(stored, c.Event.Prompt)
				musttest.Do(t, s.Ack(c.Name))
			}
		}
	}
	musttest.Same(t, []string{"0", "1", "2", "3", "4", "6", "7", "8"}, stored, "stored (-want +got)")
	if daemons != 5 { // one with others, three with it alone, one without
		t.Errorf("%d daemons were needed, want 5", daemons)
	}
	reasons, err := filepath.Glob(filepath.Join(dir, "dead", "*.reason"))
	if err != nil || len(reasons) != 1 {
		t.Fatalf("dead letters %v, %v", reasons, err)
	}
	if reason, err := os.ReadFile(reasons[0]); err != nil || !strings.Contains(string(reason), "the daemon ended or hung while it stored this event, for the third time") {
		t.Errorf("the reason is %q, %v", reason, err)
	}
	if n, err := s.Revive(); err != nil || n != 1 {
		t.Fatalf("revived %d, %v", n, err)
	}
	if again := claim(t, s, 4); len(again) != 1 || isSuspect(again[0]) {
		t.Errorf("revived as %+v, want it as it was", again)
	}
}

// TestNoEventIsLostOrBlamedInCompany: whatever goes wrong, an event exists once, and becomes a dead letter only if it
// failed alone.
func TestNoEventIsLostOrBlamedInCompany(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		dir := musttest.Get(os.MkdirTemp(t.TempDir(), ""))(r)
		s := spool.New(filepath.Join(dir, "spool"))
		n := rapid.IntRange(1, 6).Draw(r, "events")
		for i := range n {
			musttest.Do(r, s.Put(event(start.Add(time.Duration(i)*time.Second), strconv.Itoa(i))))
		}
		acked, alone := 0, map[string]int{} // how often each was alone when it went wrong
		for range rapid.IntRange(0, 25).Draw(r, "steps") {
			claims, err := s.Claim(rapid.IntRange(1, 4).Draw(r, "limit"))
			if err != nil {
				r.Fatal(err)
			}
			var names []string
			for _, c := range claims {
				names = append(names, c.Name)
				if isSuspect(c) && len(claims) > 1 {
					r.Fatalf("a suspect was claimed with others: %+v", claims)
				}
			}
			outcome := rapid.SampledFrom([]string{"stored", "put back", "suspected", "killed"}).Draw(r, "outcome")
			if len(claims) == 1 && (outcome == "suspected" || outcome == "killed") {
				alone[claims[0].Event.ID]++
			}
			switch outcome {
			case "stored":
				acked, err = acked+len(names), s.Ack(names...)
			case "put back":
				err = s.Release(names...)
			case "suspected":
				if len(names) > 0 {
					_, err = s.Isolate(errors.New("no answer"), names...)
				}
			case "killed":
				_, _, err = s.Recover()
			}
			if err != nil {
				r.Fatal(err)
			}
		}
		guilty := 0
		for _, times := range alone {
			if times >= 3 {
				guilty++
			}
		}
		counts, err := s.Counts()
		if err != nil || counts.New+counts.Claimed+counts.Dead+acked != n || counts.Dead != guilty {
			r.Fatalf("%+v (%v) and %d stored of %d, %d to blame", counts, err, acked, n, guilty)
		}
	})
}

// isSuspect reports whether the name of a claim's file counts attempts.
func isSuspect(c spool.Claim) bool { return strings.Contains(c.Name, ".t") }
