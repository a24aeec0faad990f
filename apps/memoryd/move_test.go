//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
)

var movePoints = flag.Int("move.points", 4, "the number of moves that are killed")

// server is a database of a test on a real engine, to which a home can move.
type server struct {
	engine.Endpoint
	namespace, database string
}

// mover is a home with the credentials of a server, which it does not use yet.
func newMover(t *testing.T) (*home, server) {
	t.Helper()
	s := server{Endpoint: enginetest.Endpoint(t)}
	s.namespace, s.database = enginetest.Database(t)
	h := newHome(t)
	h.env = []string{"SURREAL_USER=" + s.User, "SURREAL_PASS=" + s.Pass}
	return h, s
}

// there are the arguments for a move to the server.
func (s server) there() []string {
	return []string{"move", "--namespace", s.namespace, "--database", s.database, "--", s.URL}
}

func (s server) digest(t *testing.T) backup.Digest {
	t.Helper()
	d, err := backup.DigestOf(t.Context(), remote(t, s.Endpoint, s.namespace, s.database))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// store is the URL of the store in use, by the settings.
func (h *home) store(t *testing.T) string {
	t.Helper()
	cfg, problems := config.Load(h.layout.ConfigFile(), func(string) string { return "" })
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return cfg.Store.URL
}

// digest is that of a local store, which no agent uses.
func (h *home) digest(t *testing.T) backup.Digest {
	t.Helper()
	file := filepath.Join(t.TempDir(), "b")
	h.mustRun(t, "backup", file)
	d, err := backup.DigestOf(t.Context(), backup.File(file))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (h *home) refusesToMove(t *testing.T, says string, args ...string) {
	t.Helper()
	before := h.store(t)
	if out, err := h.run(t, args...); err == nil || !strings.Contains(out, says) {
		t.Errorf("memoryd %s: %v, %s, want something about %q", strings.Join(args, " "), err, out, says)
	}
	if h.store(t) != before {
		t.Errorf("after a refusal the store is %q, was %q", h.store(t), before)
	}
}

func TestAStoreIsMovedAndMovedBack(t *testing.T) {
	t.Parallel()
	h, s := newMover(t)
	a := h.fill(t, 0, 5)
	out := h.mustRun(t, s.there()...) // ends the agent
	if err := a.cmd.Wait(); err != nil {
		t.Errorf("the agent that was in the way ends with %v", err)
	}
	for _, says := range []string{"are copied and compared", "now that of " + s.URL, "kept as it was: this machine", "SURREAL_PASS comes from the environment"} {
		if !strings.Contains(out, says) {
			t.Errorf("the move does not say %q:\n%s", says, out)
		}
	}
	if h.store(t) != s.URL {
		t.Fatalf("the store in use is %q", h.store(t))
	}
	h.refusesToMove(t, "there already", s.there()...)

	// The server's store is used, and the old one is left alone.
	h.fill(t, 5, 7).stop(t)
	h.holds(t, 7)
	out = h.mustRun(t, "move", "embedded")
	if !strings.Contains(out, "the old store is kept in "+h.layout.Data()+".") || h.store(t) != "" {
		t.Errorf("moved back to %q:\n%s", h.store(t), out)
	}
	h.fill(t, 7, 8).stop(t)
	h.holds(t, 8)
	kept := s.digest(t)
	if local := h.digest(t); local == kept || local.Rows <= kept.Rows {
		t.Errorf("after another fact this machine has %+v, the server %+v", local, kept)
	}

	// The remains of a move may be replaced, as long as nobody has written to them.
	h.mustRun(t, s.there()...)
	h.holds(t, 8)
	if kept := s.digest(t); kept.Rows == 0 {
		t.Error("the server has nothing")
	}
}

func TestAMoveOverwritesNoOtherRows(t *testing.T) {
	onlyInChaos(t)
	t.Parallel()
	h, s := newMover(t)
	h.fill(t, 0, 2).stop(t)
	h.mustRun(t, s.there()...)

	other := newHome(t)
	other.env = h.env
	other.fill(t, 0, 3).stop(t)
	before := s.digest(t)
	other.refusesToMove(t, "--database", s.there()...)
	other.refusesToMove(t, "neither a server", "move", "ftp://example.org")
	if after := s.digest(t); after != before {
		t.Errorf("a refused move has changed the server from %+v to %+v", before, after)
	}
	other.holds(t, 3)

	// Later writes to the old store of this machine are kept aside.
	settings, err := os.ReadFile(h.layout.ConfigFile())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(h.layout.ConfigFile()); err != nil {
		t.Fatal(err)
	}
	h.fill(t, 2, 3).stop(t)
	written := h.digest(t)
	if err := os.WriteFile(h.layout.ConfigFile(), settings, 0o600); err != nil {
		t.Fatal(err)
	}
	h.mustRun(t, "move", "--namespace", "claude_memory", "--database", "memories", "embedded")
	h.holds(t, 2)
	kept := h.keptData(t)
	if len(kept) != 1 {
		t.Fatalf("kept %v", kept)
	}
	h.env = append(h.env, "SURREAL_DATA_PATH="+kept[0])
	if got := h.digest(t); got != written {
		t.Errorf("what was kept aside has %+v, want %+v", got, written)
	}

	h.env = append(h.env, "SURREAL_DB="+s.database)
	h.refusesToMove(t, "SURREAL_DB is in the environment", s.there()...)
	empty := newHome(t)
	empty.env = other.env
	empty.refusesToMove(t, "nothing in", s.there()...)
}

// TestAMoveSurvivesItsEndAtAnyInstant kills moves, there and back, at instants from before
// their first instruction to after their last. Each time the store in use has all rows, and
// the move, done again, succeeds.
func TestAMoveSurvivesItsEndAtAnyInstant(t *testing.T) {
	onlyInChaos(t)
	t.Parallel()
	h, s := newMover(t)
	h.fill(t, 0, 40).stop(t)
	want := h.digest(t)
	const seed = 32
	dice := rand.New(rand.NewPCG(seed, 0))
	there, back := s.there(), []string{"move", "--namespace", s.namespace, "--database", s.database, "embedded"}
	begun := time.Now()
	h.mustRun(t, there...)
	h.mustRun(t, back...)
	lifetime := time.Since(begun) / 2
	for i := range *movePoints {
		args := there
		if h.store(t) != "" {
			args = back
		}
		h.killed(t, time.Duration(dice.Int64N(int64(lifetime*3/2))), args...)
		if h.store(t) == "" {
			if got := h.digest(t); got != want {
				t.Fatalf("seed %d, point %d: this machine has %+v, want %+v", seed, i, got, want)
			}
		} else if got := s.digest(t); got != want {
			t.Fatalf("seed %d, point %d: the server has %+v, want %+v", seed, i, got, want)
		}
	}
	if h.store(t) == "" {
		h.mustRun(t, there...)
	}
	if got := s.digest(t); got != want {
		t.Errorf("in the end the server has %+v, want %+v", got, want)
	}
	h.holds(t, 40)
}

// TestAMoveWhoseServerGoesAwayLeavesTheOldStoreInUse stops the server while it is filled.
func TestAMoveWhoseServerGoesAwayLeavesTheOldStoreInUse(t *testing.T) {
	onlyInChaos(t)
	t.Parallel()
	h, s := newMover(t)
	h.fill(t, 0, 20).stop(t)
	direct, l := s, enginetest.NewLine(t, s.URL)
	s.URL = l.URL()
	l.Slow(5 * time.Millisecond)
	cmd := exec.Command(h.memoryd, s.there()...)
	cmd.Env = append(h.environment(t), h.env...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	there := remote(t, direct.Endpoint, s.namespace, s.database)
	h.awaitClosely(t, "the server to be filled", func() bool {
		source, err := there.UnfinishedRestore(t.Context())
		return err == nil && source != ""
	})
	l.Stop()
	if err := cmd.Wait(); err == nil || !strings.Contains(said.String(), "The store in use is still that of this machine") {
		t.Errorf("the move ends with %v: %s", err, said.String())
	}
	if h.store(t) != "" {
		t.Errorf("the store in use is %q", h.store(t))
	}
	h.holds(t, 20)
	l.Slow(0)
	l.Start(t)
	h.spool(t, 20) // as hooks do while no agent runs
	h.mustRun(t, s.there()...)
	h.holds(t, 21)
}

// killed runs memoryd and kills it after a time, unless it has ended by then; its engine ends
// with it.
func (h *home) killed(t *testing.T, after time.Duration, args ...string) {
	t.Helper()
	cmd := exec.Command(h.memoryd, args...)
	cmd.Env = append(h.environment(t), h.env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait() // a possible error is that it was killed
	timer.Stop()
	for _, record := range []string{"engine.json", filepath.Join("next", "engine.json")} {
		h.await(t, "the engine to end", func() bool {
			var found struct{ PID int }
			data, err := os.ReadFile(filepath.Join(h.layout.Run(), record))
			return errors.Is(err, os.ErrNotExist) || json.Unmarshal(data, &found) != nil || found.PID == 0 || isGoneProcess(found.PID)
		})
	}
}
