// Package structure has rules about the tree as tests, such as which file of a package
// may use which.
package structure

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

const module = "github.com/surrealdb-memory/surrealdb-memory"

// knotted are the packages below pkg whose files use each other in a cycle. The list
// must only shrink.
var knotted = []string{"memory", "store/surreal"}

// TestNoFilesUseEachOther: the files of a package form a hierarchy, so that it can be
// read from one end to the other. A file uses another where it names something that the
// other declares, a method or a field too.
func TestNoFilesUseEachOther(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.path, module+"/pkg/")
		circle := circleOf(p.uses())
		switch isKnotted := slices.Contains(knotted, name); {
		case circle != nil && !isKnotted:
			t.Errorf("pkg/%s has files that use each other; move what both need into a file of its own: %s", name, strings.Join(circle, " -> "))
		case circle == nil && isKnotted:
			t.Errorf("pkg/%s has no such files any more: take it off the list", name)
		}
	}
}

// sourcePackage is a package of the module with the types of its names.
type sourcePackage struct {
	path  string
	fset  *token.FileSet
	types *types.Package
	info  *types.Info
}

// packages are those below pkg, without their tests.
func packages(t *testing.T) []sourcePackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", `{{.ImportPath}}	{{.Export}}	{{.Dir}}	{{join .GoFiles " "}}`, "./pkg/...")
	cmd.Dir = repository
	cmd.Env = append(os.Environ(), "GOOS=linux") // the same files on every machine
	cmd.Stderr = os.Stderr
	list := musttest.Get(cmd.Output())(t)
	exports, folders := map[string]string{}, map[string][]string{}
	for line := range strings.Lines(string(list)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		exports[fields[0]] = fields[1]
		if strings.HasPrefix(fields[0], module+"/pkg/") && len(fields) == 4 {
			for name := range strings.FieldsSeq(fields[3]) {
				folders[fields[0]] = append(folders[fields[0]], filepath.Join(fields[2], name))
			}
		}
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var all []sourcePackage
	for _, path := range slices.Sorted(maps.Keys(folders)) {
		all = append(all, checked(t, path, folders[path], fset, imports))
	}
	return all
}

func checked(t *testing.T, path string, names []string, fset *token.FileSet, imports types.Importer) sourcePackage {
	t.Helper()
	var files []*ast.File
	for _, name := range names {
		file := musttest.Get(parser.ParseFile(fset, name, nil, parser.SkipObjectResolution))(t)
		files = append(files, file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	checker := types.Config{Importer: imports}
	checkedPackage := musttest.Get(checker.Check(path, fset, files, info))(t)
	return sourcePackage{path, fset, checkedPackage, info}
}

// uses are the files that each file uses.
func (p sourcePackage) uses() map[string]map[string]bool {
	uses := map[string]map[string]bool{}
	for ident, object := range p.info.Uses {
		if object.Pkg() != p.types {
			continue
		}
		from, to := p.file(ident.Pos()), p.file(object.Pos())
		if from == to {
			continue
		}
		if uses[from] == nil {
			uses[from] = map[string]bool{}
		}
		uses[from][to] = true
	}
	return uses
}

func (p sourcePackage) file(at token.Pos) string {
	return filepath.Base(p.fset.Position(at).Filename)
}
