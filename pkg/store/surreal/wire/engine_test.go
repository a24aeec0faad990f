package wire_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wiretest"
)

func TestEngineAnswers(t *testing.T) {
	c := wiretest.Open(t, wiretest.Database(t))
	at := time.Date(2026, 2, 3, 4, 5, 6, 789, time.UTC)
	rows := musttest.Get(c.Run(t.Context(), wire.Request{
		SQL:  "BEGIN; CREATE a:1 SET n = $n, at = $at; RETURN NONE; COMMIT; SELECT * FROM a",
		Vars: map[string]any{"n": 5, "at": models.CustomDateTime{Time: at}},
	}))(t)
	if len(rows) != 5 {
		t.Fatalf("got %d results, want one for each of 5 statements", len(rows))
	}
	var got []struct {
		ID models.RecordID       `json:"id"`
		N  int                   `json:"n"`
		At models.CustomDateTime `json:"at"`
	}
	musttest.Do(t, rows.Decode(4, &got))
	if len(got) != 1 || got[0].N != 5 || !got[0].At.Equal(at) || got[0].ID.String() != "a:1" {
		t.Errorf("got %+v", got)
	}
	var none []int
	if err := rows.Decode(2, &none); err != nil || none != nil {
		t.Errorf("NONE decoded to %v, %v", none, err)
	}
	musttest.Fails(t, rows.Decode(5, &none), "a result that is not there was decoded")
}

// The settings permit letters of every script. Quotes keep any other name what it is, too.
func TestEngineUsesAnyName(t *testing.T) {
	for _, name := range []string{"größe_a-2", "記憶", "a`; REMOVE DATABASE \\x"} {
		opts := wiretest.Database(t)
		opts.Namespace, opts.Database = name, opts.Database+name
		if _, err := wiretest.Open(t, opts).Run(t.Context(), wire.Request{SQL: "CREATE a:1"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEngineNamesTheStatementThatFailed(t *testing.T) {
	c := wiretest.Open(t, wiretest.Database(t))
	for sql, index := range map[string]int{
		"BEGIN; CREATE a:1; CREATE a:2; THROW 'no'; CREATE a:3; COMMIT": 3,
		"BEGIN; CREATE a:1; CREATE a:1; COMMIT":                         2,
		"RETURN 1; SELECT * FROM nowhere; RETURN 2":                     1,
		"RETURN 1; RETRUN 2":                                            -1,
	} {
		_, err := c.Run(t.Context(), wire.Request{SQL: sql})
		var failed *wire.StatementError
		if !errors.As(err, &failed) || failed.Index != index {
			t.Errorf("%s: got %v, want statement %d", sql, err, index)
		}
		if text := err.Error(); strings.Contains(text, "\n") || strings.Contains(text, "RETRUN 2") {
			t.Errorf("%s: the error quotes the statement: %q", sql, text)
		}
	}
	var failed *wire.StatementError
	if _, err := c.Run(t.Context(), wire.Request{SQL: "SELECT * FROM a"}); !errors.As(err, &failed) {
		t.Errorf("a failed transaction left its table behind: %v", err)
	}
}

func TestEngineRefusesAWrongPassword(t *testing.T) {
	opts := wiretest.Database(t)
	endpoint, _ := opts.Locate(t.Context())
	endpoint.Pass += "x"
	opts.Locate = func(context.Context) (engine.Endpoint, error) { return endpoint, nil }
	if err := wiretest.Open(t, opts).Ping(t.Context()); !errors.Is(err, wire.ErrAuth) || errors.Is(err, wire.ErrUnavailable) {
		t.Errorf("got %v, want ErrAuth", err)
	}
}

// On disk, because the engine in memory (3.0.2) acknowledges both of two conflicting commits in 1 to 3 % of cases.
func TestEngineCountsRightUnderConcurrency(t *testing.T) {
	_, opts := wiretest.Engine(t, t.TempDir())
	first, second := wiretest.Open(t, opts), wiretest.Open(t, opts)
	musttest.Get(first.Run(t.Context(), wire.Request{SQL: "CREATE counter:1 SET n = 0"}))(t)
	const workers, each = 8, 25
	var all sync.WaitGroup
	for i := range workers {
		c := []*wire.Conn{first, second}[i%2]
		all.Go(func() {
			for range each {
				if _, err := c.Run(t.Context(), wire.Request{SQL: "BEGIN; LET $n = (SELECT VALUE n FROM ONLY counter:1); UPDATE counter:1 SET n = $n + 1; COMMIT"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	rows := musttest.Get(first.Run(t.Context(), wire.Request{SQL: "SELECT VALUE n FROM ONLY counter:1"}))(t)
	var n int
	if err := rows.Decode(0, &n); err != nil || n != workers*each {
		t.Errorf("counted %d, %v, want %d", n, err, workers*each)
	}
}
