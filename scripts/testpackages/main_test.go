package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestGoroutinesAreFound(t *testing.T) {
	for body, want := range map[string]bool{
		"go f()":                              true,
		"if true { go func() {}() }":          true,
		"var wg sync.WaitGroup; wg.Go(f)":     true,
		"t.Parallel()":                        true,
		"f()":                                 false,
		"// go f()":                           false,
		`s := "go f()"; _ = s`:                false,
		"x.Go = true; Go(); var Parallel int": false,
	} {
		file := musttest.Get(parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc f() {\n"+body+"\n}\n", 0))(t)
		musttest.Same(t, want, startsGoroutine(file), "%s", body)
	}
}

func TestLocksAndGoroutinesCount(t *testing.T) {
	const locked, started = "package x\nimport \"sync\"\nvar mu sync.Mutex\n", "package x\nfunc f() { go f() }\n"
	for _, test := range []struct {
		source, test string
		want         bool
	}{
		{"package x\n", started, false},
		{locked, "package x\n", false},
		{locked, started, true},
		{started, "package x\n", false},
		{started, locked, false},
		{locked + "func f() { go f() }\n", "package x\n", true},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"x.go": test.source, "x_test.go": test.test} {
			musttest.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		if got, err := isConcurrent(dir); err != nil || got != test.want {
			t.Errorf("%q with the test %q: %t, %v", test.source, test.test, got, err)
		}
	}
}

// TestThePackagesOfTheModule names packages of each kind, one of them by its tests.
func TestThePackagesOfTheModule(t *testing.T) {
	found := musttest.Get(concurrent("../.."))(t)
	const pkg = "github.com/surrealdb-memory/surrealdb-memory/pkg/"
	for name, want := range map[string]bool{"daemon": true, "store/surreal/wire": true, "recall/render": false, "daemon/intake": false} {
		musttest.Same(t, want, slices.Contains(found, pkg+name), "pkg/%s is tested with the race detector", name)
	}
}
