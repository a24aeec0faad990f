// Command testpackages prints the packages that make test runs with the race detector, or with --others the rest:
//
//	go test -race $(go run ./scripts/testpackages)
//
// The race detector compiles everything once more and makes tests slow. It is for the packages of pkg with locks, if they or
// their tests start goroutines. The others with goroutines give each its own memory, or serve something with it; the rooms
// below pkg/daemon run together, with the detector, in the tests of pkg/daemon; the goroutines of pkg/store/surreal are those of its
// connection, pkg/store/surreal/wire; and the tests of programs start these as they are built for users. make race has it for all.
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	others := len(os.Args) == 2 && os.Args[1] == "--others"
	if len(os.Args) > 1 && !others {
		_, _ = fmt.Fprintln(os.Stderr, "usage: testpackages [--others]")
		os.Exit(2)
	}
	concurrent, sequential, err := divided(".")
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "testpackages:", err)
		os.Exit(1)
	}
	if others {
		concurrent = sequential
	}
	fmt.Println(strings.Join(concurrent, "\n"))
}

// divided returns the import paths of the module in a folder: first those to be tested with the race detector, then
// the others.
func divided(module string) (concurrent, sequential []string, err error) {
	list := exec.Command("go", "list", "-f", "{{.Module.Path}}\t{{.ImportPath}}\t{{.Dir}}", "./...")
	list.Dir, list.Stderr = module, os.Stderr
	output, err := list.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("list the packages: %w", err)
	}
	for line := range strings.Lines(string(output)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 {
			return nil, nil, fmt.Errorf("list the packages: %q", line)
		}
		races := false
		name, isPart := strings.CutPrefix(fields[1], fields[0]+"/pkg/")
		if isPart && !strings.HasPrefix(name, "daemon/") && name != "store/surreal" {
			if races, err = isConcurrent(fields[2]); err != nil {
				return nil, nil, err
			}
		}
		if races {
			concurrent = append(concurrent, fields[1])
		} else {
			sequential = append(sequential, fields[1])
		}
	}
	if len(concurrent) == 0 || len(sequential) == 0 {
		return nil, nil, errors.New("the packages are all of one kind")
	}
	return concurrent, sequential, nil
}

// isConcurrent reports whether the sources or tests of a folder, for any system, start goroutines and share memory.
func isConcurrent(dir string) (bool, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return false, err
	}
	var started, locks bool
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return false, err
		}
		started = started || startsGoroutine(file)
		locks = locks || hasLocks(file) && !strings.HasSuffix(name, "_test.go")
	}
	return locks && started, nil
}

// startsGoroutine reports whether a file has a go statement, a call of Go of a sync.WaitGroup, or a parallel test.
func startsGoroutine(file *ast.File) (found bool) {
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			method, isMethod := node.Fun.(*ast.SelectorExpr)
			found = found || isMethod && (method.Sel.Name == "Go" || method.Sel.Name == "Parallel")
		}
		return !found
	})
	return found
}

func hasLocks(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool {
		return spec.Path.Value == `"sync"` || spec.Path.Value == `"sync/atomic"`
	})
}
