package surreal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
)

// freshDatabase returns options for a database of its own on a real engine.
func freshDatabase(t *testing.T) Options {
	t.Helper()
	endpoint := Endpoint(enginetest.Endpoint(t))
	namespace, database := enginetest.Database(t)
	return Options{
		Locate:    func(context.Context) (Endpoint, error) { return endpoint, nil },
		Namespace: namespace, Database: database, CallTimeout: 20 * time.Second,
	}
}

func openReal(t *testing.T, opts Options) *Conn {
	t.Helper()
	c := Open(opts)
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return c
}

func TestEngineAnswers(t *testing.T) {
	c := openReal(t, freshDatabase(t))
	at := time.Date(2026, 2, 3, 4, 5, 6, 789, time.UTC)
	rows, err := c.exec(t.Context(), "BEGIN; CREATE a:1 SET n = $n, at = $at; RETURN NONE; COMMIT; SELECT * FROM a",
		map[string]any{"n": 5, "at": models.CustomDateTime{Time: at}})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 5 {
		t.Fatalf("got %d results, want one for each of 5 statements", len(rows))
	}
	var got []struct {
		ID models.RecordID       `json:"id"`
		N  int                   `json:"n"`
		At models.CustomDateTime `json:"at"`
	}
	if err := rows.decode(4, &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].N != 5 || !got[0].At.Equal(at) || got[0].ID.String() != "a:1" {
		t.Errorf("got %+v", got)
	}
	var none []int
	if err := rows.decode(2, &none); err != nil || none != nil {
		t.Errorf("NONE decoded to %v, %v", none, err)
	}
	if err := rows.decode(5, &none); err == nil {
		t.Error("a result that is not there was decoded")
	}
}

func TestEngineNamesTheStatementThatFailed(t *testing.T) {
	c := openReal(t, freshDatabase(t))
	for sql, index := range map[string]int{
		"BEGIN; CREATE a:1; CREATE a:2; THROW 'no'; CREATE a:3; COMMIT": 3,
		"BEGIN; CREATE a:1; CREATE a:1; COMMIT":                         2,
		"RETURN 1; SELECT * FROM nowhere; RETURN 2":                     1,
		"RETURN 1; RETRUN 2":                                            -1,
	} {
		_, err := c.exec(t.Context(), sql, nil)
		var failed *StatementError
		if !errors.As(err, &failed) || failed.Index != index {
			t.Errorf("%s: got %v, want statement %d", sql, err, index)
		}
		if text := err.Error(); strings.Contains(text, "\n") || strings.Contains(text, "RETRUN 2") {
			t.Errorf("%s: the error quotes the statement: %q", sql, text)
		}
	}
	var failed *StatementError
	if _, err := c.exec(t.Context(), "SELECT * FROM a", nil); !errors.As(err, &failed) {
		t.Errorf("a failed transaction left its table behind: %v", err)
	}
}

func TestEngineRefusesAWrongPassword(t *testing.T) {
	opts := freshDatabase(t)
	endpoint, _ := opts.Locate(t.Context())
	endpoint.Pass += "x"
	opts.Locate = func(context.Context) (Endpoint, error) { return endpoint, nil }
	if err := openReal(t, opts).Ping(t.Context()); !errors.Is(err, ErrAuth) || errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v, want ErrAuth", err)
	}
}

// ownEngine starts an engine that the test may kill, with its data on disk.
func ownEngine(t *testing.T) (*engine.Supervisor, Options) {
	t.Helper()
	return ownEngineIn(t, t.TempDir())
}

func ownEngineIn(t *testing.T, dir string) (*engine.Supervisor, Options) {
	t.Helper()
	enginetest.Endpoint(t) // skips where there is none
	sources, packages, err := enginetest.Dirs()
	if err != nil {
		t.Fatal(err)
	}
	supervisor, err := engine.Start(t.Context(), engine.Options{
		DataPath: filepath.Join(dir, "data"), RunDir: filepath.Join(dir, "run"), Sources: sources, Packages: packages, Output: os.Stderr,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := supervisor.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return supervisor, Options{
		Locate: func(ctx context.Context) (Endpoint, error) {
			endpoint, err := supervisor.Endpoint(ctx)
			return Endpoint(endpoint), err
		},
		Namespace: "n", Database: "d", CallTimeout: 30 * time.Second,
	}
}

// On disk, because the engine in memory (3.0.2) acknowledges both of two conflicting commits in 1 to 3 % of cases.
func TestEngineCountsRightUnderConcurrency(t *testing.T) {
	_, opts := ownEngine(t)
	first, second := openReal(t, opts), openReal(t, opts)
	if _, err := first.exec(t.Context(), "CREATE counter:1 SET n = 0", nil); err != nil {
		t.Fatal(err)
	}
	const workers, each = 8, 25
	var all sync.WaitGroup
	for i := range workers {
		c := []*Conn{first, second}[i%2]
		all.Go(func() {
			for range each {
				if _, err := c.exec(t.Context(), "BEGIN; LET $n = (SELECT VALUE n FROM ONLY counter:1); UPDATE counter:1 SET n = $n + 1; COMMIT", nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	rows, err := first.exec(t.Context(), "SELECT VALUE n FROM ONLY counter:1", nil)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := rows.decode(0, &n); err != nil || n != workers*each {
		t.Errorf("counted %d, %v, want %d", n, err, workers*each)
	}
}

func TestEngineRestart(t *testing.T) {
	supervisor, opts := ownEngine(t)
	c := openReal(t, opts)
	if err := c.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := c.exec(t.Context(), "SLEEP 25s", nil)
		failed <- err
	}()
	for !owesAnswer(c) {
		if !sleep(t.Context(), time.Millisecond) {
			t.Fatal("the call was never sent")
		}
	}
	process, err := os.FindProcess(supervisor.Pid())
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; !errors.Is(err, ErrUnavailable) {
		t.Errorf("the call in flight: %v, want ErrUnavailable", err)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("the call in flight hung for %s", took)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for err = c.Ping(ctx); err != nil && sleep(ctx, 20*time.Millisecond); err = c.Ping(ctx) {
	}
	if err != nil {
		t.Errorf("after the restart: %v", err)
	}
}

func owesAnswer(c *Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live.socket.mu.Lock()
	defer c.live.socket.mu.Unlock()
	return !c.live.socket.silent.IsZero()
}
