package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mostBranches is how many ways a function may have: one, and one more for each if, loop,
// case, && and ||.
const mostBranches = 15

// branching are the functions that may have more, and why. The list must only shrink.
var branching = map[string]string{
	"pkg/hookio Input.text":            "one case for each key of the client's input, and nothing else",
	"pkg/knowledge typedLines":         "a walk over lines, whose states are read side by side",
	"pkg/memory Import.validate":       "one check after another, each with its message",
	"pkg/memory Memory.validateImport": "one check after another, each with its message",
	"pkg/statement parser.token":       "one case for each kind of word, in the order of their precedence",
}

// TestNoFunctionHasTooManyBranches holds the functions of all that is shipped to
// mostBranches.
func TestNoFunctionHasTooManyBranches(t *testing.T) {
	found := map[string]int{}
	for _, root := range []string{"pkg", "apps"} {
		err := filepath.WalkDir(filepath.Join(repository, root), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() && entry.Name() == "bench" {
				return fs.SkipDir
			}
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			folder, err := filepath.Rel(repository, filepath.Dir(path))
			for _, declaration := range file.Decls {
				if f, ok := declaration.(*ast.FuncDecl); ok && branches(f) > mostBranches {
					found[filepath.ToSlash(folder)+" "+nameOf(f)] = branches(f)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if branching[name] == "" {
			t.Errorf("%s has %d branches, want %d at most: split it, or list it with the reason why it is better whole", name, found[name], mostBranches)
		}
	}
	for name := range branching {
		if found[name] == 0 {
			t.Errorf("%s has no more than %d branches: take it off the list", name, mostBranches)
		}
	}
}

// nameOf is a function's name with the type that it is a method of.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	for {
		switch x := of.(type) {
		case *ast.StarExpr:
			of = x.X
		case *ast.IndexExpr:
			of = x.X
		case *ast.IndexListExpr:
			of = x.X
		case *ast.Ident:
			return x.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}

func branches(f *ast.FuncDecl) int {
	n := 1
	ast.Inspect(f, func(node ast.Node) bool {
		switch x := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if x.List != nil {
				n++
			}
		case *ast.CommClause:
			if x.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if x.Op == token.LAND || x.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}
