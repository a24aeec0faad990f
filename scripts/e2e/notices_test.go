//go:build e2e

package e2e

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// shownCommands are the commands that notices name, in the order in which a person runs them here, each with a piece of its output.
var shownCommands = []struct{ command, typed, output string }{
	{"status", "status", "events"},
	{"doctor", "doctor", "settings"},
	{"daemon stop", "daemon stop", "the daemon has ended"},
	{"daemon start", "daemon start", "ready"},
	{"distill --estimate 20", "distill --estimate 20", "session"},
	{"distill on", "distill on", "on"},
	{"distill off", "distill off", "off"},
	{"open", "open", "http://127.0.0.1:"}, // in the browser, as the key may not be printed
	{"setup engine install", "setup engine install", "SurrealDB"},
	{"backup rebuild --yes", "backup rebuild --yes", "the new store is in place"},
}

// TestTheCommandsOfNoticesRunInTheClient types each command that a notice shows where it is shown: behind the client's !.
// The client has the plugin's bin on its PATH by itself.
func TestTheCommandsOfNoticesRunInTheClient(t *testing.T) {
	var listed []string
	for _, one := range shownCommands {
		listed = append(listed, one.command)
	}
	slices.Sort(listed)
	if diff := cmp.Diff(namedInNotices(t), listed); diff != "" {
		t.Fatalf("the commands of notices (-named in the source +run here):\n%s", diff)
	}
	u, api := newUser(t)
	musttest.Do(t, os.MkdirAll(filepath.Join(u.Project, ".claude"), 0o700))
	api.Script("hello", slices.Repeat([]Step{Say("I see.")}, 1+len(shownCommands))...) // the model sees each output
	browser := filepath.Join(t.TempDir(), "xdg-open")                                  // keeps the page that a browser would open
	musttest.Do(t, os.WriteFile(browser, []byte("#!/bin/sh\ncp \"$1\" \"$0.page\"\n"), 0o700))
	u.Env = append(u.Env, "PATH="+filepath.Dir(browser)+":"+os.Getenv("PATH"))
	c := u.talk(t.Context(), t)
	await(t, 20*time.Second, "the session to start", func() bool { return c.logged("SessionStart:startup") > 0 })
	c.typed("SCRIPT:hello please", "SCRIPT:hello")
	await(t, 20*time.Second, "the turn to end", func() bool { return c.logged("Hooks: Stop [") > 0 })
	for turn, one := range shownCommands {
		words := strings.Fields(one.typed) // the client moves the cursor between them
		c.typed("! memory "+one.typed, words[len(words)-1])
		var output string
		await(t, 60*time.Second, "the output of "+one.typed, func() (is bool) {
			output, is = c.outputOf("memory " + one.typed)
			return is
		})
		t.Logf("! memory %s\n%s", one.typed, output)
		if !strings.Contains(output, one.output) {
			t.Errorf("! memory %s printed %q, without %q", one.typed, output, one.output)
		}
		await(t, 20*time.Second, "the turn to end", func() bool { return c.logged("Hooks: Stop [") > turn+1 })
	}
	c.end()
	page, err := os.ReadFile(browser + ".page")
	if err != nil || !strings.Contains(string(page), "127.0.0.1") {
		t.Errorf("the browser got %.200q: %v", page, err)
	}
	for _, request := range api.RequestsWith("memory open") {
		if strings.Contains(request.Text(), "enter this key there: ") {
			t.Error("the model got the key of the dashboard")
		}
	}
}

// outputOf is the output of a command behind the client's !, as the client has recorded it in its transcript.
func (c *conversation) outputOf(command string) (output string, isThere bool) {
	files, _ := filepath.Glob(filepath.Join(c.config, "projects", "*", "*.jsonl"))
	for _, file := range files {
		text, _ := os.ReadFile(file)
		isNext := false
		for line := range strings.Lines(string(text)) {
			var entry struct{ Message struct{ Content any } }
			_ = json.Unmarshal([]byte(line), &entry) // the last line may be half written
			content, _ := entry.Message.Content.(string)
			if isNext && strings.Contains(content, "<bash-stdout>") {
				return content, true
			}
			isNext = isNext || strings.Contains(content, "<bash-input> "+command+"</bash-input>")
		}
	}
	return "", false
}

// namedInNotices are the commands that the source of hooks, daemon and store names for notices, sorted.
func namedInNotices(t *testing.T) []string {
	t.Helper()
	named := map[string]bool{}
	for _, pattern := range []string{"hook/hooks/*.go", "daemon/*.go", "daemon/*/*.go", "store/database/*.go", "rpc/daemonapi/*.go"} {
		files, err := filepath.Glob(filepath.Join("../../pkg", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no files: %v", pattern, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			syntax := musttest.Get(parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution))(t)
			ast.Inspect(syntax, func(node ast.Node) bool {
				if literal := commandIn(node); literal != nil {
					command, _ := strconv.Unquote(literal.Value)
					named[command] = true
				}
				return true
			})
		}
	}
	return slices.Sorted(maps.Keys(named))
}

// commandIn is the command of a Trouble, of the line about memories that were kept, or of a call of cliCommand; else nil.
func commandIn(node ast.Node) *ast.BasicLit {
	var value ast.Expr
	switch node := node.(type) {
	case *ast.CompositeLit:
		of := node.Type
		if selector, is := of.(*ast.SelectorExpr); is {
			of = selector.Sel
		}
		if name, is := of.(*ast.Ident); !is || name.Name != "Trouble" {
			return nil
		}
		for _, field := range node.Elts {
			if pair, is := field.(*ast.KeyValueExpr); is && pair.Key.(*ast.Ident).Name == "Command" {
				value = pair.Value
			}
		}
	case *ast.AssignStmt:
		if field, is := node.Lhs[0].(*ast.SelectorExpr); is && field.Sel.Name == "KeptCommand" {
			value = node.Rhs[0]
		}
	case *ast.CallExpr:
		if function, is := node.Fun.(*ast.Ident); is && function.Name == "cliCommand" {
			value = node.Args[1]
		}
	}
	literal, _ := value.(*ast.BasicLit)
	return literal
}
