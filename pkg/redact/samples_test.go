package redact_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact"
)

// BenchmarkRecorded looks through all that a real client has handed to hooks, as
// recorded: what one session of work costs.
func BenchmarkRecorded(b *testing.B) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "hook-input", "*.json"))
	if err != nil || len(files) == 0 {
		b.Fatalf("%d recorded inputs, %v", len(files), err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		all.Write(text)
	}
	text := all.String()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		redact.Text(text)
	}
}
