package main

import (
	"go/parser"
	"go/token"
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
		if got := hasGoroutine(file); got != want {
			t.Errorf("%s: %t", body, got)
		}
	}
}

// TestEveryPackageIsTestedOnce also names a package of each kind, one of them by its tests only.
func TestEveryPackageIsTestedOnce(t *testing.T) {
	concurrent, sequential, err := divided("../..")
	if err != nil {
		t.Fatal(err)
	}
	const pkg = "github.com/surrealdb-memory/surrealdb-memory/pkg/"
	for _, name := range []string{"agent", "agent/feed", "surreal/wire"} {
		if !slices.Contains(concurrent, pkg+name) {
			t.Errorf("pkg/%s starts goroutines and is tested without the race detector", name)
		}
	}
	if !slices.Contains(sequential, pkg+"render") {
		t.Error("pkg/render starts no goroutine and is tested with the race detector")
	}
	for _, name := range concurrent {
		if slices.Contains(sequential, name) {
			t.Errorf("%s is tested twice", name)
		}
	}
}
