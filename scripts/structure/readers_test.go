package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// mostWords is the most English words of a literal outside of pkg/language.
const mostWords = 6

// readers are the files that may split texts or list words by themselves, with the reason.
var readers = map[string]string{
	"pkg/agent/filestate/secret.go": "splits names of files",
	"pkg/cli/notefolders.go":        "splits lines of git",
	"pkg/cli/usage.go":              "lists commands",
	"pkg/dashboard/change.go":       "splits tags of a form",
	"pkg/dashboard/views.go":        "lists functions of templates",
	"pkg/defuse/markup.go":          "lists names of elements",
	"pkg/describe/purpose.go":       "lists commands",
	"pkg/private/private.go":        "splits paths",
	"pkg/surreal/rewrite.go":        "lists fields",
}

// TestTextsAreReadByOnePackage: sentences and words are split by pkg/language, and lists of English words
// are rows of pkg/language/english.
func TestTextsAreReadByOnePackage(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(repository, "pkg"), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err == nil && entry.IsDir() && entry.Name() == "language":
			return fs.SkipDir
		case err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return err
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		file, err := filepath.Rel(repository, path)
		ast.Inspect(parsed, func(node ast.Node) bool {
			reads := readsText(node)
			if reads == "" {
				return true
			}
			for allowed := range readers {
				if strings.HasPrefix(filepath.ToSlash(file), allowed) {
					used[allowed] = true
					return true
				}
			}
			t.Errorf("%s:%d %s: read it by pkg/language, or name the file in readers with the reason", file, set.Position(node.Pos()).Line, reads)
			return true
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for allowed := range readers {
		if !used[allowed] {
			t.Errorf("%s reads no texts by itself any more: take it off the list", allowed)
		}
	}
}

// readsText is what a node does that only pkg/language is to do; empty for nothing.
func readsText(node ast.Node) string {
	switch node := node.(type) {
	case *ast.CallExpr:
		called, text := calledName(node.Fun), textIn(node.Args)
		switch {
		case called == "strings.FieldsFunc" || called == "strings.FieldsFuncSeq":
			return "splits a text by a function"
		case called == "regexp.MustCompile" && sentenceEnd.MatchString(text):
			return "has a pattern of the ends of sentences"
		case called == "language.Set" && englishWords(strings.Fields(text)) > mostWords:
			return "lists English words"
		}
	case *ast.CompositeLit:
		if englishWords(literalsIn(node.Elts)) > mostWords {
			return "lists English words"
		}
	case *ast.CaseClause:
		if englishWords(literalsIn(node.List)) > mostWords {
			return "lists English words"
		}
	}
	return ""
}

// sentenceEnd matches a set of marks with the three that end sentences.
var sentenceEnd = regexp.MustCompile(`\[[^\]]*(\.[!?]{2}|[!?]\.[!?]|[!?]{2}\.)`)

// english are the words of the tables of pkg/language/english: names of columns and options are none.
var english = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	tables, _ := filepath.Glob(filepath.Join(repository, "pkg/language/english/*.txt"))
	for _, table := range tables {
		text, _ := os.ReadFile(table)
		for word := range strings.FieldsSeq(string(text)) {
			words[word] = true
		}
	}
	return words
})

func englishWords(texts []string) (n int) {
	for _, text := range texts {
		if english()[text] {
			n++
		}
	}
	return n
}

// calledName is a function as a call writes it, with its package.
func calledName(function ast.Expr) string {
	selected, is := function.(*ast.SelectorExpr)
	if !is {
		return ""
	}
	of, is := selected.X.(*ast.Ident)
	if !is {
		return ""
	}
	return of.Name + "." + selected.Sel.Name
}

func textIn(arguments []ast.Expr) string { return strings.Join(literalsIn(arguments), " ") }

// literalsIn are the texts of literals, also of keys.
func literalsIn(all []ast.Expr) (texts []string) {
	for _, one := range all {
		if pair, is := one.(*ast.KeyValueExpr); is {
			one = pair.Key
		}
		ast.Inspect(one, func(node ast.Node) bool {
			literal, is := node.(*ast.BasicLit)
			if is && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil {
					texts = append(texts, text)
				}
			}
			_, isNested := node.(*ast.CompositeLit)
			return !isNested
		})
	}
	return texts
}

func TestAReaderIsFound(t *testing.T) {
	for code, want := range map[string]string{
		`strings.FieldsFunc(text, isBlank)`:                                    "splits a text by a function",
		"regexp.MustCompile(`[.!?]\\s+`)":                                      "has a pattern of the ends of sentences",
		`language.Set("always never must should would could every")`:           "lists English words",
		`[]string{"always", "never", "must", "should", "would", "not", "any"}`: "lists English words",
		`regexp.MustCompile("^[0-9.]+$")`:                                      "",
		`[]string{"id", "project", "session", "key", "home", "kind", "scope"}`: "",
	} {
		parsed, err := parser.ParseExpr(code)
		if err != nil {
			t.Fatal(err)
		}
		if got := readsText(parsed); got != want {
			t.Errorf("%s %q, want %q", code, got, want)
		}
	}
}
