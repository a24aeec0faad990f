package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

var (
	// named is a command as a text names it: its words, flags and placeholders.
	named = regexp.MustCompile("(?:^|[\\s\"'(|`/>])memory ((?:--)?[a-z][^\n`\"<]*)")
	// quoted are the parts of a page that are code.
	quoted = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	marked = regexp.MustCompile("(?s)<code>.*?</code>") // in a template of the dashboard
	// placeholder stands for a value.
	placeholder = regexp.MustCompile(`^(%s|%\[\d\]s|%d|[A-Z]+|[A-Z]+\|[A-Z]+|<.*>)$`)
)

// otherWords are those that stand behind the word memory in a sentence.
var otherWords = strings.Fields(`and are by came cannot could database did does files fits folders for found gets
	becomes has in into is keeps loses never of off on or reach remembered seen since source stays that to up was weaker with without whose you`)

// TestEveryNamedCommandIsThere runs, without their effects, the commands that messages of the programs, pages, and texts of the
// plugin name.
func TestEveryNamedCommandIsThere(t *testing.T) {
	seen := 0
	for _, root := range []string{"../../apps", "../../docs", "../../migrations", "../../pkg", "../../plugin", "../../schema", "../../README.md", "../../SECURITY.md"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() && slices.Contains([]string{"node_modules", "libexec", "testdata", "lab", "adr", "bench", "storetest"}, entry.Name()) {
				return or(err, fs.SkipDir)
			}
			for _, text := range textsOf(t, path) {
				for _, found := range named.FindAllStringSubmatch(text, -1) {
					seen++
					isThere(t, path, found[1])
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 500 {
		t.Errorf("only %d commands are named: this reads nothing", seen)
	}
}

func or(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// textsOf are the parts of a file that people or models read.
func textsOf(t *testing.T, path string) (all []string) {
	t.Helper()
	extension := filepath.Ext(path)
	if !slices.Contains([]string{".go", ".md", ".sh", ".mjs", ".js", ".html", ".json"}, extension) || strings.HasSuffix(path, "_test.go") {
		return nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	switch extension {
	case ".go":
		file, err := parser.ParseFile(token.NewFileSet(), path, content, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.CompositeLit:
				if of, is := node.Type.(*ast.SelectorExpr); is && of.Sel.Name == "Trouble" && len(node.Elts) > 0 {
					last := node.Elts[len(node.Elts)-1].(*ast.KeyValueExpr)
					if command, is := last.Value.(*ast.BasicLit); is && last.Key.(*ast.Ident).Name == "Command" {
						all = append(all, "memory "+unquoted(command))
					}
				}
			case *ast.BasicLit:
				all = append(all, unquoted(node))
			}
			return true
		})
		return all
	case ".md":
		return quoted.FindAllString(string(content), -1)
	case ".html":
		return marked.FindAllString(string(content), -1)
	}
	return []string{string(content)}
}

func unquoted(literal *ast.BasicLit) string {
	text, _ := strconv.Unquote(literal.Value) // of a number none
	return text
}

// isThere runs a command that a text names, with the flags that follow it there.
func isThere(t *testing.T, path, text string) {
	t.Helper()
	var words []string
	var one *cli.Command
	within, afterFlag := idle().app().Commands, false
	for word := range strings.FieldsSeq(text) {
		bare := strings.Trim(word, ".,;:()[]'…")
		next := commandNamed(within, bare)
		isFlag := strings.HasPrefix(bare, "--") && (one == nil || slices.ContainsFunc(append(one.Flags, &cli.BoolFlag{Name: "help"}, &cli.BoolFlag{Name: "version"}), func(f cli.Flag) bool {
			return slices.Contains(f.Names(), strings.TrimLeft(strings.Split(bare, "=")[0], "-"))
		}))
		switch {
		case one == nil && slices.Contains(otherWords, bare):
			return
		case isFlag:
			within = nil
		case next != nil:
			one, within = next, next.Subcommands
		case one == nil, strings.HasPrefix(bare, "--"), len(within) > 0 && one.Description == "" && !placeholder.MatchString(bare):
			t.Errorf("%s names memory %s: there is no %q", path, strings.Join(append(words, bare), " "), bare)
			return
		case !placeholder.MatchString(bare) && !afterFlag:
			bare = "" // the sentence goes on
		}
		if next != nil {
			words = append(words, bare)
		}
		if bare != word {
			break
		}
		afterFlag = isFlag
	}
	if reached, err := reachedBy(t, words); err != nil || reached != strings.Join(words, " ") && len(one.Subcommands) == 0 {
		t.Errorf("%s names memory %s, which is %q: %v", path, strings.Join(words, " "), reached, err)
	}
}
