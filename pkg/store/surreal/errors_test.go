package surreal

import (
	"errors"
	"fmt"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// TestErrorsOfTheConnectionAreTheDomains: callers see only the errors of package memory.
func TestErrorsOfTheConnectionAreTheDomains(t *testing.T) {
	for from, want := range map[error]error{
		wire.ErrStorage: memory.ErrStorage, wire.ErrDamaged: memory.ErrDamaged, wire.ErrUnavailable: memory.ErrUnavailable,
		wire.ErrAuth: memory.ErrUnavailable, wire.ErrClosed: memory.ErrUnavailable,
	} {
		err := domain(fmt.Errorf("ask: %w", from))
		if !errors.Is(err, want) || !errors.Is(err, memory.ErrUnavailable) || !errors.Is(err, from) {
			t.Errorf("%v became %v, want %v", from, err, want)
		}
	}
	if err := domain(&wire.StatementError{Message: "no"}); errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("a refused statement became %v", err)
	}
}
