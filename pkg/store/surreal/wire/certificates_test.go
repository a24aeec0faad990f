package wire_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wiretest"
)

// overTLS returns options for a database behind a TLS connection that requests a client certificate.
func overTLS(t *testing.T) (line *enginetest.Line, by *enginetest.Authority, opts wire.Options) {
	t.Helper()
	opts = wiretest.Database(t)
	endpoint, _ := opts.Locate(t.Context())
	by = enginetest.NewAuthority(t)
	line = enginetest.NewTLSLine(t, endpoint.URL, by)
	endpoint.URL, endpoint.CAFile = line.URL(), by.File
	opts.Locate = func(context.Context) (engine.Endpoint, error) { return endpoint, nil }
	return line, by, opts
}

func TestAnEncryptedConnectionIsUsedAndComesBack(t *testing.T) {
	line, _, opts := overTLS(t)
	c := wiretest.Open(t, opts)
	write := func(n int) {
		t.Helper()
		if _, err := c.ExecIdempotent(t.Context(), "UPSERT type::record('a', $n) SET text = $text", map[string]any{"n": n, "text": strings.Repeat("long ", 20_000)}); err != nil {
			t.Fatalf("write %d: %v", n, err)
		}
	}
	write(0)
	line.Cut()
	write(1)
	line.Slow(2 * time.Millisecond)
	write(2)
	line.Slow(0)
	line.Stop()
	if _, err := c.ExecIdempotent(t.Context(), "RETURN 1", nil); !errors.Is(err, wire.ErrUnavailable) || strings.Contains(err.Error(), "TLS to the server failed") {
		t.Errorf("with the server down: %v", err)
	}
	line.Start(t)
	write(3)
	rows := musttest.Get(c.ExecIdempotent(t.Context(), "SELECT VALUE string::len(text) FROM a", nil))(t)
	var lengths []int
	musttest.Do(t, rows.Decode(0, &lengths))
	musttest.Same(t, 4, len(lengths), "the rows have the lengths %v", lengths)
	endpoint, _ := opts.Locate(t.Context())
	endpoint.URL = "https" + strings.TrimPrefix(line.URL(), "wss")
	opts.Locate = func(context.Context) (engine.Endpoint, error) { return endpoint, nil }
	musttest.Is(t, nil, wiretest.Open(t, opts).Ping(t.Context()), "by https")
}

func TestACertificateThatDoesNotFitIsNamed(t *testing.T) {
	_, _, opts := overTLS(t)
	right, _ := opts.Locate(t.Context())
	other := enginetest.NewAuthority(t)
	text := filepath.Join(t.TempDir(), "text")
	musttest.Do(t, os.WriteFile(text, []byte("text"), 0o600))
	for name, c := range map[string]struct {
		change func(e *engine.Endpoint)
		want   string
	}{
		"the system's authorities":  {func(e *engine.Endpoint) { e.CAFile = "" }, "store.ca_file"},
		"another authority":         {func(e *engine.Endpoint) { e.CAFile = other.File }, "unknown authority"},
		"no file of authorities":    {func(e *engine.Endpoint) { e.CAFile = text + ".pem" }, "no such file"},
		"authorities without PEM":   {func(e *engine.Endpoint) { e.CAFile = text }, "no PEM certificate"},
		"a line without encryption": {func(e *engine.Endpoint) { e.URL = "ws" + strings.TrimPrefix(e.URL, "wss") }, "wss://"},
		"another name of the host":  {func(e *engine.Endpoint) { e.URL = strings.Replace(e.URL, "127.0.0.1", "localhost", 1) }, "localhost"},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint := right
			c.change(&endpoint)
			opts := opts
			opts.Locate = func(context.Context) (engine.Endpoint, error) { return endpoint, nil }
			err := wiretest.Open(t, opts).Ping(t.Context())
			if !errors.Is(err, wire.ErrUnavailable) || !strings.Contains(err.Error(), "TLS to the server failed") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want something about %q", err, c.want)
			}
		})
	}
	musttest.Is(t, nil, wiretest.Open(t, opts).Ping(t.Context()), "with the matching certificates")
}
