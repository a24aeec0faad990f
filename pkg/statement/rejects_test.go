package statement_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/statement"
)

func TestRejects(t *testing.T) {
	for _, c := range []struct {
		said, answered string
		want           bool
	}{
		{"no, we removed it on purpose", "The cache makes the start faster.", true},
		{"Wrong. It is the proxy.", "The timeout comes from the database.", true},
		{"but the timeout is set by the proxy, I doubt this helps", "The timeouts come from the database.", true},
		{"I would have expected a list here", "The cache makes the start faster.", false},
		{"that is not what I meant, think about it again", "There might be other things to think about.", false},
		{"nobody runs that", "The cache makes the start faster.", false},
		{"no, we removed it on purpose", "", false},
	} {
		if got := statement.Rejects(c.said, c.answered); got != c.want {
			t.Errorf("%q rejects %q: %v, want %v", c.said, c.answered, got, c.want)
		}
	}
}
