package briefing

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// A fix that was imported in words of its own was taken for one without a cure.
func TestAFixInOtherWordsIsNotTrivial(t *testing.T) {
	for content, want := range map[string]bool{
		`make migrate fails with "relation berth does not exist": run make seed first`: false,
		"`make style` failed with exit code 2; it worked after: `make style-fix`":      true,
		"`make style` failed with exit code 2; it worked after: `./setup.sh`":          false,
		"`make style` failed with exit code 2; it worked when it was run again":        true,
	} {
		if got := isTrivial(memory.Memory{Kind: memory.KindFix, Command: "make style", Content: content}); got != want {
			t.Errorf("%q is trivial: %v, want %v", content, got, want)
		}
	}
}
