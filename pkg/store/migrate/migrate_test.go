package migrate

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// memoryStore is a history in memory; package surreal tests the real one, with migrations that fail and with several migrators.
type memoryStore struct {
	history       []Applied
	locked, locks int
	beforeLocked  func()
}

func (s *memoryStore) Lock(context.Context) (func() error, error) {
	if s.beforeLocked != nil {
		s.beforeLocked()
	}
	s.locked++
	s.locks++
	return func() error { s.locked--; return nil }, nil
}

func (s *memoryStore) History(context.Context) ([]Applied, error) { return s.history, nil }

func (s *memoryStore) Apply(_ context.Context, _ Migration, line Applied) error {
	if s.locked != 1 {
		return errors.New("not locked")
	}
	s.history = append(s.history, line)
	return nil
}

func three(t *testing.T) []Migration {
	t.Helper()
	return musttest.Get(Load(files("0001_a.surql", "CREATE a", "0002_b.surql", "CREATE b; CREATE b", "0003_c.surql", "CREATE c")))(t)
}

func applied(migrations ...Migration) (history []Applied) {
	for _, m := range migrations {
		history = append(history, Applied{Version: m.Version, Name: m.Name, SHA256: m.SHA256, BinaryVersion: "v1"})
	}
	return history
}

// TestUpPreparesADatabaseThatHoldsData: neither an empty one nor one that is up to date.
func TestUpPreparesADatabaseThatHoldsData(t *testing.T) {
	migrations := three(t)
	for current, want := range []string{"", "prepared locked done", "prepared locked done", ""} {
		store := &memoryStore{history: applied(migrations[:current]...)}
		var calls []string
		opts := Options{Prepare: func() func() {
			calls = append(calls, "prepared")
			store.beforeLocked = func() { calls = append(calls, "locked") }
			return func() {
				calls = append(calls, "done")
				musttest.Same(t, 0, store.locked, "still locked when the preparation ends")
			}
		}}
		musttest.Get(Up(t.Context(), store, migrations, opts))(t)
		musttest.Same(t, want, strings.Join(calls, " "), "at version %d", current)
	}
}

func TestHistoryAndFilesMustAgree(t *testing.T) {
	migrations := three(t)
	edited := applied(migrations...)
	edited[1].SHA256 = strings.Repeat("0", 64)
	newer := append(applied(migrations...), Applied{Version: 4, Name: "d", BinaryVersion: "v9"})
	tests := map[string]struct {
		history []Applied
		want    error
		says    string
	}{
		"new database":   {nil, nil, ""},
		"behind":         {applied(migrations[0]), nil, ""},
		"up to date":     {applied(migrations...), nil, ""},
		"in any order":   {applied(migrations[2], migrations[0], migrations[1]), nil, ""},
		"edited":         {edited, ErrEdited, "0002_b.surql"},
		"newer":          {newer, ErrNewer, "applied by v9"},
		"newer and edit": {append(edited[:3:3], newer[3]), ErrEdited, "0002_b.surql"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			store := &memoryStore{history: tt.history}
			_, err := Version(t.Context(), store, migrations)
			if !errors.Is(err, tt.want) || (tt.want != nil && !strings.Contains(err.Error(), tt.says)) {
				t.Errorf("got %v, want %v with %q", err, tt.want, tt.says)
			}
			before := len(tt.history)
			_, upErr := Up(t.Context(), store, migrations, Options{})
			isLocked := tt.want == nil && before < len(migrations)
			if !errors.Is(upErr, tt.want) || (tt.want != nil && len(store.history) != before) || (store.locks != 0) != isLocked {
				t.Errorf("Up: %v, history %d -> %d, %d locks", upErr, before, len(store.history), store.locks)
			}
		})
	}
}
