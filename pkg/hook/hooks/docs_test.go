package hooks_test

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// table reads the rows of a marked table in docs/hooks.md, without its head.
func table(t *testing.T, mark string) [][]string {
	t.Helper()
	text := readFile(t, filepath.Join(repository, "docs", "hooks.md"))
	_, text, begins := strings.Cut(text, "<!-- "+mark+":begin -->\n")
	text, _, ends := strings.Cut(text, "<!-- "+mark+":end -->")
	if !begins || !ends {
		t.Fatalf("docs/hooks.md has no table %s", mark)
	}
	const bar = "\x00" // of a cell's own
	var rows [][]string
	for _, row := range lines(strings.ReplaceAll(text, `\|`, bar))[2:] {
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(row, "|"), "|") {
			cells = append(cells, strings.ReplaceAll(strings.TrimSpace(cell), bar, "|"))
		}
		rows = append(rows, cells)
	}
	return rows
}

func TestTheDocumentedHooksAreTheHooks(t *testing.T) {
	documented, code := map[string]string{}, map[string]string{}
	for _, row := range table(t, "hooks") {
		if len(row) != 6 {
			t.Fatalf("%d cells in %q", len(row), row)
		}
		documented[row[0]] = strings.Trim(row[1], "`")
	}
	for event, registrations := range registered(t) {
		for _, r := range registrations {
			code[event] = ""
			if r.Matcher != nil {
				code[event] = *r.Matcher
			}
		}
	}
	musttest.Same(t, code, documented, "docs/hooks.md (-hooks.json +documented)")
}

var keyAndDefault = regexp.MustCompile("`(hooks\\.[a-z_.]+)` ([0-9][^ ,|]*)")

// documented returns the settings of a cell with their defaults.
func documented(cell string) [][2]string {
	var all [][2]string
	for _, found := range keyAndDefault.FindAllStringSubmatch(cell, -1) {
		all = append(all, [2]string{found[1], found[2]})
	}
	return all
}

// loaded is the configuration with one setting.
func loaded(t *testing.T, key, value string) config.Config {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.json")
	writeFile(t, file, toJSON(t, fields{key: value}))
	cfg, problems := config.Load(file, func(string) string { return "" })
	if len(problems) > 0 {
		t.Fatalf("%s: %v", key, problems)
	}
	return cfg
}

// checkDefault checks that a default is the documented one.
func checkDefault(t *testing.T, key, value string) {
	t.Helper()
	musttest.Same(t, config.Default(), loaded(t, key, value), "%s is documented as %s, which is not the default (-default +documented)", key, value)
}

func TestTheDocumentedDeadlinesAreTheHooks(t *testing.T) {
	byEvent := map[string]hook.Hook{}
	for _, h := range served {
		byEvent[h.Event] = h
	}
	for _, row := range table(t, "hooks") {
		h, isServed := byEvent[row[0]]
		if !isServed {
			t.Errorf("nothing serves %s", row[0])
			continue
		}
		deadlines := documented(row[5])
		if len(deadlines) == 0 {
			t.Errorf("%s: %q names no deadline", row[0], row[5])
			continue
		}
		for _, d := range deadlines {
			checkDefault(t, d[0], d[1])
		}
		// The first is the one the program keeps, or some times that: "3 × `hooks...`".
		times := 1
		if factor, _, is := strings.Cut(row[5], " × "); is {
			times, _ = strconv.Atoi(factor)
		}
		musttest.Same(t, time.Duration(times)*7777*time.Millisecond, h.Limit(loaded(t, deadlines[0][0], "7777ms").Hooks), "by %s, the deadline of %s", deadlines[0][0], h.Name())
	}
}

// budgeted are inputs that make a program ask the daemon for text within a budget of the settings, by event or tool.
var budgeted = map[string]fields{
	hookio.SessionStart:     at(hookio.SessionStart, fields{"source": "startup"}),
	hookio.UserPromptSubmit: prompt("do the task"),
	"Read":                  beforeTool("Read", fields{"file_path": "/home/dev/project/a.go"}),
	"Write":                 beforeTool("Write", fields{"file_path": "/home/dev/project/a.go"}),
	"Edit":                  beforeTool("Edit", fields{"file_path": "/home/dev/project/a.go"}),
	"NotebookEdit":          beforeTool("NotebookEdit", fields{"notebook_path": "/home/dev/project/a.ipynb"}),
	"Bash":                  beforeTool("Bash", fields{"command": "make test"}),
}

// A program asks the daemon for memories within the documented budget; with a budget of 0 it does not ask.
func TestTheDocumentedBudgetsAreAskedFor(t *testing.T) {
	budgets := map[string]string{} // key by event or tool
	for _, row := range table(t, "hooks") {
		for _, b := range documented(row[4]) {
			checkDefault(t, b[0], b[1])
			budgets[row[0]] = b[0]
		}
	}
	for _, row := range table(t, "tools") {
		for _, b := range documented(row[2]) {
			checkDefault(t, b[0], b[1])
			for tool := range strings.SplitSeq(row[0], ", ") {
				budgets[tool] = b[0]
			}
		}
	}
	for name, input := range budgeted {
		if budgets[name] == "" {
			t.Errorf("%s: no budget is documented", name)
		}
		asked := func(budget string) []any {
			w := newWorld(t)
			a := startDaemon(t, w, injected)
			w = w.with("MEMORY_"+strings.ToUpper(strings.ReplaceAll(budgets[name], ".", "_")), budget)
			runInProcess(t, w, toJSON(t, input))
			var all []any
			for _, c := range a.requests(t) {
				if c.Method == daemonapi.MethodRecall.Name || c.Method == daemonapi.MethodSessionContext.Name {
					all = append(all, c.Params["token_budget"])
				}
			}
			return all
		}
		musttest.Same(t, []any{77.0}, asked("77"), "%s with %s of 77 (-want +asked for)", name, budgets[name])
		for _, budget := range asked("0") {
			if budget != 0.0 || name != hookio.SessionStart { // which has other reasons to call
				t.Errorf("%s with a budget of 0 asks for %v", name, budget)
			}
		}
		delete(budgets, name)
	}
	if len(budgets) > 0 {
		t.Errorf("documented, but nothing here asks by them: %v", budgets)
	}
}
