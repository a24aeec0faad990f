package briefing

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

func TestTheHintIsShort(t *testing.T) {
	counter, err := tokens.New("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	if n := counter.Count(storeHint); n > 32 {
		t.Errorf("the hint has %d tokens, want 32 at most", n)
	}
}
