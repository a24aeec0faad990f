package instructions

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// ruled is a project with a CLAUDE.md and nine rules, of 20 sentences each.
func ruled(b *testing.B) place {
	b.Helper()
	where := place{root: b.TempDir(), settings: b.TempDir()}
	where.dir = where.root
	rules := filepath.Join(where.root, ".claude", "rules")
	if err := os.MkdirAll(rules, 0o700); err != nil {
		b.Fatal(err)
	}
	for i := range 10 {
		var text strings.Builder
		for n := range 20 {
			_, _ = fmt.Fprintf(&text, "- The service %d of team %d listens on port %d and is deployed on Fridays.\n", n, i, 1024+20*i+n)
		}
		file := filepath.Join(rules, fmt.Sprintf("%d.md", i))
		if i == 0 {
			file = filepath.Join(where.root, "CLAUDE.md")
		}
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return where
}

// BenchmarkScan is a first look, and a look at files that have not changed, of which there
// is one a second at most.
func BenchmarkScan(b *testing.B) {
	where := ruled(b)
	read := scan(where, nil)
	for name, before := range map[string][]file{"first": nil, "unchanged": read} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				scan(where, before)
			}
		})
	}
}

// BenchmarkFileFinder asks about the 200 memories of a start.
func BenchmarkFileFinder(b *testing.B) {
	where := ruled(b)
	noon := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	x := New(where.settings, func() time.Time { return noon })
	all := make([]memory.Memory, 200)
	for i := range all {
		all[i] = memory.Memory{ID: fmt.Sprint(i), Content: fmt.Sprintf("Service %d writes its log to a folder of team %d.", i, i%7)}
	}
	b.Run("at a start", func(b *testing.B) {
		for b.Loop() {
			find := x.FileFinder(b.Context(), "", where.root, where.dir)
			for _, m := range all {
				find(m)
			}
		}
	})
	b.Run("for the first time", func(b *testing.B) {
		files := scan(where, nil)
		for b.Loop() {
			inFiles := newSentences(files)
			for _, m := range all {
				inFiles.fileWith(m)
			}
		}
	})
}
