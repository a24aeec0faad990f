// Command testpackages prints the packages that make race runs with the race detector:
//
//	go test -race $(go run ./scripts/testpackages)
//
// These are the packages of pkg that have locks and start goroutines, themselves or in their tests. The list leaves out
// the packages below pkg/daemon, which run together in the tests of pkg/daemon; pkg/store/surreal, whose goroutines are
// those of its connection (pkg/store/surreal/wire); and programs, which their tests start as built for users.
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
	packages, err := concurrent(".")
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "testpackages:", err)
		os.Exit(1)
	}
	fmt.Println(strings.Join(packages, "\n"))
}

// concurrent returns the import paths of the packages in a module's folder that are to be tested with the race detector.
func concurrent(module string) (found []string, err error) {
	list := exec.Command("go", "list", "-f", "{{.Module.Path}}\t{{.ImportPath}}\t{{.Dir}}", "./...")
	list.Dir, list.Stderr = module, os.Stderr
	output, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the packages: %w", err)
	}
	for line := range strings.Lines(string(output)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("list the packages: %q", line)
		}
		name, isPart := strings.CutPrefix(fields[1], fields[0]+"/pkg/")
		if !isPart || strings.HasPrefix(name, "daemon/") || name == "store/surreal" {
			continue
		}
		races, err := isConcurrent(fields[2])
		if err != nil {
			return nil, err
		}
		if races {
			found = append(found, fields[1])
		}
	}
	if len(found) == 0 {
		return nil, errors.New("no package has goroutines that share memory")
	}
	return found, nil
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
