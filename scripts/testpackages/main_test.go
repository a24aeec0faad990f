package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"testing"
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
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc f() {\n"+body+"\n}\n", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := startsGoroutine(file); got != want {
			t.Errorf("%s: %t", body, got)
		}
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
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := isConcurrent(dir); err != nil || got != test.want {
			t.Errorf("%q with the test %q: %t, %v", test.source, test.test, got, err)
		}
	}
}

// TestEveryPackageIsTestedOnce also names packages of each kind, one of them by its tests.
func TestEveryPackageIsTestedOnce(t *testing.T) {
	concurrent, sequential, err := divided("../..")
	if err != nil {
		t.Fatal(err)
	}
	const pkg = "github.com/surrealdb-memory/surrealdb-memory/pkg/"
	for _, name := range []string{"daemon", "store/surreal/wire"} {
		if !slices.Contains(concurrent, pkg+name) {
			t.Errorf("pkg/%s starts goroutines and is tested without the race detector", name)
		}
	}
	if !slices.Contains(sequential, pkg+"recall/render") {
		t.Error("pkg/recall/render starts no goroutine and is tested with the race detector")
	}
	for _, name := range concurrent {
		if slices.Contains(sequential, name) {
			t.Errorf("%s is tested twice", name)
		}
	}
}
