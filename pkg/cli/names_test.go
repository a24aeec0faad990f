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

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

var (
	// named is where a text names a command.
	named = regexp.MustCompile("(?:^|[\\s\"'(|`/>])memory ((?:--)?[a-z])")
	end   = regexp.MustCompile("[\n`]|</") // of a command at the latest
	// quoted are the parts of a page that are code.
	quoted = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	marked = regexp.MustCompile("(?s)<code>.*?</code>") // in a template of the dashboard
	// placeholder stands for a value.
	placeholder = regexp.MustCompile(`^(%s|%\[\d\]s|%d|[A-Z]+|[A-Z]+\|[A-Z]+|<.*>)$`)
	// literal is a value itself: a quoted one, the key of a setting, or what that is set to.
	literal = regexp.MustCompile(`^(".*|disabled|on|off|[a-z_]+(\.[a-z_]+)+|true|\d+(ms)?)$`)
	// word is one of a command, which can be quoted.
	word = regexp.MustCompile(`"[^"]*"|\S+`)
)

// otherWords are those that stand behind the word memory in a sentence.
var otherWords = strings.Fields(`and are by came cannot command could database did does files fits folders for found gets
	becomes has in into is keeps loses never of off on or reach remembered seen since source stays that to up was weaker with without whose you`)

// TestEveryNamedCommandIsThere runs, without their effects, the commands that messages of the programs, pages, and texts of the
// plugin name.
func TestEveryNamedCommandIsThere(t *testing.T) {
	all := mentions(t)
	for _, one := range all {
		one.isThere(t)
		if one.isInClient() && !one.isMarked {
			t.Errorf("%s names memory %s without the ! behind which it is typed in the client", one.file, strings.Join(one.words, " "))
		}
	}
	if len(all) < 200 {
		t.Errorf("only %d commands are named: this reads nothing", len(all))
	}
}

// mention is a command that a text names.
type mention struct {
	file     string
	command  []string // its names
	words    []string // these, and the flags, their values and the placeholders that follow in the text
	line     string   // the whole line of a shell, in a block or an example; else a sentence goes on behind the words
	isGroup  bool     // its names are those of a group of commands
	isMarked bool     // it stands behind the client's !
	// isForTerminal: the text has it typed in a terminal.
	isForTerminal bool
	wrong         string // a word that should be a command or a flag, and is none
}

// isInClient: a person reads the text in the client only, or hears of it from the model.
func (m mention) isInClient() bool {
	for _, part := range []string{"plugin/.claude-plugin/", "plugin/README.md", "plugin/hooks/", "pkg/mcpserver/", "pkg/daemon/intake/change.go"} {
		if strings.Contains(m.file, part) {
			return true
		}
	}
	return false
}

// mentions are all commands that messages of the programs, pages, and texts of the plugin name.
func mentions(t *testing.T) (all []mention) {
	t.Helper()
	for _, root := range []string{"../../apps", "../../docs", "../../migrations", "../../pkg", "../../plugin", "../../schema", "../../README.md", "../../SECURITY.md"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() && slices.Contains([]string{"node_modules", "libexec", "testdata", "lab", "adr", "bench", "storetest"}, entry.Name()) {
				return or(err, fs.SkipDir)
			}
			texts, lines := textsOf(t, path)
			for n, text := range append(texts, lines...) {
				for _, at := range named.FindAllStringSubmatchIndex(text, -1) {
					if one, is := mentionIn(end.Split(text[at[2]:], 2)[0]); is {
						one.isMarked = strings.HasSuffix(strings.TrimRight(text[:at[2]], " "), "! memory")
						if one.file, one.isForTerminal = path, strings.Contains(text, "in a terminal"); n >= len(texts) {
							one.line = text
						}
						all = append(all, one)
					}
				}
			}
			return nil
		})
		musttest.Do(t, err)
	}
	return all
}

func or(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// textsOf are the parts of a file that people or models read, and those of them that are lines of a shell.
func textsOf(t *testing.T, path string) (all, lines []string) {
	t.Helper()
	extension := filepath.Ext(path)
	if !slices.Contains([]string{".go", ".md", ".sh", ".mjs", ".js", ".html", ".json"}, extension) || strings.HasSuffix(path, "_test.go") {
		return nil, nil
	}
	content := musttest.Get(os.ReadFile(path))(t)
	switch extension {
	case ".go":
		file := musttest.Get(parser.ParseFile(token.NewFileSet(), path, content, parser.SkipObjectResolution))(t)
		return literals(file)
	case ".md":
		for _, text := range quoted.FindAllString(string(content), -1) {
			all = append(all, strings.Split(strings.Trim(text, "`"), "\n")...)
		}
		lines = slices.DeleteFunc(slices.Clone(all), func(text string) bool { return !strings.HasPrefix(text, "memory ") })
		return slices.DeleteFunc(all, func(text string) bool { return strings.HasPrefix(text, "memory ") }), lines
	case ".html":
		return marked.FindAllString(string(content), -1), nil
	}
	return []string{string(content)}, nil
}

// literals are the texts in the source of a program, with %s for each value that is put in between, and its examples of commands.
func literals(file *ast.File) (all, examples []string) {
	var visit func(node ast.Node) bool
	visit = func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CompositeLit:
			if of, is := node.Type.(*ast.SelectorExpr); is && of.Sel.Name == "Trouble" && len(node.Elts) > 0 {
				last := node.Elts[len(node.Elts)-1].(*ast.KeyValueExpr)
				if command, is := last.Value.(*ast.BasicLit); is && last.Key.(*ast.Ident).Name == "Command" {
					all = append(all, "memory "+unquoted(command))
				}
			}
		case *ast.CallExpr:
			if function, is := node.Fun.(*ast.Ident); is && slices.Contains([]string{"described", "command"}, function.Name) {
				for n, argument := range node.Args {
					text, isLiteral := argument.(*ast.BasicLit)
					isOnlyOne := isLiteral && function.Name != "described" && strings.HasPrefix(unquoted(text), "memory ")
					if isOnlyOne || n > 0 && function.Name == "described" {
						examples, node.Args[n] = append(examples, composed(argument, visit)), &ast.BadExpr{}
					}
				}
			}
		case *ast.BinaryExpr:
			if node.Op == token.ADD {
				all = append(all, composed(node, visit))
				return false
			}
		case *ast.BasicLit:
			all = append(all, unquoted(node))
		}
		return true
	}
	ast.Inspect(file, visit)
	return all, examples
}

// composed is a text that is put together of literals and of values, each of which is %s; these are visited.
func composed(text ast.Expr, visit func(ast.Node) bool) string {
	switch text := text.(type) {
	case *ast.BinaryExpr:
		return composed(text.X, visit) + composed(text.Y, visit)
	case *ast.BasicLit:
		return unquoted(text)
	}
	ast.Inspect(text, visit)
	return "%s"
}

func unquoted(literal *ast.BasicLit) string {
	text, _ := strconv.Unquote(literal.Value) // of a number none
	return text
}

// isThere runs the command without its effects.
func (m mention) isThere(t *testing.T) {
	t.Helper()
	name := strings.Join(m.command, " ")
	if m.wrong != "" {
		t.Errorf("%s names memory %s %s: there is no %[3]q", m.file, name, m.wrong)
	} else if reached, err := reachedBy(t, m.command); err != nil || reached != name && !m.isGroup {
		t.Errorf("%s names memory %s, which is %q: %v", m.file, name, reached, err)
	}
}

// mentionIn reads the command with which a text begins.
func mentionIn(text string) (m mention, is bool) {
	var one *cli.Command
	within, isValue := idle().app().Commands, false
	for _, word := range word.FindAllString(text, -1) {
		bare := strings.Trim(word, ".,;:()[]'…")
		if !strings.HasPrefix(bare, `"`) {
			bare = strings.TrimRight(bare, `".,)`)
		}
		next, flags := commandNamed(within, bare), append(sharedFlags(), &cli.BoolFlag{Name: "version"})
		if one != nil {
			flags = append(sharedFlags(), one.Flags...)
		}
		isFlag, hasValue := flagOf(flags, bare)
		switch {
		case one == nil && slices.Contains(otherWords, bare):
			return m, false
		case isFlag:
			within, isValue = nil, hasValue
		case next != nil:
			m.command, one, within = append(m.command, bare), next, next.Subcommands
		case one == nil, strings.HasPrefix(bare, "--"), len(within) > 0 && one.Description == "" && !placeholder.MatchString(bare):
			m.wrong = bare
			return m, true
		case !isValue && !placeholder.MatchString(bare) && !literal.MatchString(bare):
			bare = "" // the sentence goes on
		default:
			isValue = false
		}
		if bare == "" {
			break
		}
		m.words = append(m.words, bare)
		if bare != word || next == nil && len(within) > 0 { // the end of the sentence, or a value that is the name of a command
			break
		}
	}
	m.isGroup = one != nil && len(one.Subcommands) > 0
	return m, one != nil || len(m.words) > 0
}
