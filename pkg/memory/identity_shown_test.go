package memory_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func TestIDAsShown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"3604d8": "3604d8", "[3604d8 note, 28 Nov]": "3604d8", "[3604D8]": "3604d8", " 3604D8 ": "3604d8", "3604d8…": "3604d8",
		"3604d8...": "3604d8", "`3604d8`": "3604d8", "#3604d8": "3604d8", "[3604d8… note] The port is 5433": "3604d8",
		"3604d8 note": "3604d8", "3604D8 convention, 28 Nov": "3604d8", "**3604d8**": "3604d8", "^3604d8": "3604d8", "«3604d8»": "3604d8", "‘3604d8’": "3604d8", "(3604d8):": "3604d8",
		"[]": "[]", "": "", "face the facts": "face the facts", "[note, 28 Nov]": "[note, 28 Nov]",
	} {
		if got := memory.IDAsShown(text); got != want {
			t.Errorf("IDAsShown(%q) = %q, want %q", text, got, want)
		}
	}
}
