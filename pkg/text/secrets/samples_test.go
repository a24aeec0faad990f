package secrets_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

// TestRecordedInputsAreLeftAlone guards the ids, paths and outputs that a real
// client hands to hooks: none of them is a secret.
func TestRecordedInputsAreLeftAlone(t *testing.T) {
	text := recorded(t)
	if got, report := redact.Text(text); got != text {
		t.Errorf("recorded inputs hold no secret, and were changed: %+v", report.Found)
	}
}

func recorded(t testing.TB) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "hook-input", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recorded inputs, %v", len(files), err)
	}
	var all strings.Builder
	for _, file := range files {
		text := musttest.Get(os.ReadFile(file))(t)
		all.Write(text)
	}
	return all.String()
}
