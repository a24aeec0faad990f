package hooks_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// longStanding are the events that every client supports: an older client drops the whole plugin over one unknown name.
var longStanding = []string{
	hookio.SessionStart, hookio.SessionEnd, hookio.Setup, hookio.UserPromptSubmit, hookio.PreToolUse,
	hookio.PermissionRequest, hookio.PostToolUse, hookio.PostToolUseFailure, hookio.Notification,
	hookio.SubagentStart, hookio.SubagentStop, hookio.TaskCompleted, hookio.TeammateIdle, hookio.Stop,
	hookio.StopFailure, hookio.PreCompact, hookio.PostCompact,
}

const (
	ourPrefix   = "mcp__plugin_surrealdb-memory_memory__"
	ourServer   = "plugin:surrealdb-memory:memory"
	otherPrefix = "mcp__plugin_hookspec_mem__"
)

// tools are the client's, some that it does not have any more, and MCP tools of ours and of others.
var tools = []string{
	"Agent", "AskUserQuestion", "Bash", "Edit", "ExitPlanMode", "Glob", "Grep", "ListMcpResourcesTool", "Monitor", "MultiEdit", "NotebookEdit", "PowerShell", "Read",
	"Skill", "SlashCommand", "Task", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TodoWrite", "ToolSearch",
	"WebFetch", "Write", ourPrefix + "store_memory", otherPrefix + "store_memory", "mcp__x__write",
}

// toolsHandled are the tools whose events a hook does something with.
var toolsHandled = map[string][]string{
	hookio.PreToolUse: {"Agent", "Bash", "Edit", "Monitor", "NotebookEdit", "PowerShell", "Read", "Skill", "Task", "Write"},
	hookio.PostToolUse: {
		"Agent", "AskUserQuestion", "Edit", "ExitPlanMode", "Monitor", "MultiEdit", "NotebookEdit", "PowerShell", "Read", "Task", "WebFetch", "Write",
		otherPrefix + "store_memory", "mcp__x__write",
	},
	hookio.PostToolUseFailure: {"Bash"},
	hookio.PermissionRequest:  {ourPrefix + "store_memory"},
}

// grace is the time that a hook may last beyond its own deadline, see pkg/hook.
const grace = 400 * time.Millisecond

// sessionEndBudget is the client's time limit for all SessionEnd hooks together, whatever their timeouts.
const sessionEndBudget = 1500 * time.Millisecond

type handler struct {
	Type    string
	Command string
	Args    *[]string
	Timeout float64 // seconds
}

type registration struct {
	Matcher *string
	Hooks   []handler
}

// exactList is a matcher that the client takes for a list of names; any other is a regular expression to it.
var exactList = regexp.MustCompile(`^[A-Za-z0-9_\- ,|]*$`)

// passes reports whether the client starts the registration's programs for a tool, according to
// the contract between pkg/hook/hooks and the client.
func (r registration) passes(tool string) bool {
	switch {
	case r.Matcher == nil || *r.Matcher == "" || *r.Matcher == "*":
		return true
	case exactList.MatchString(*r.Matcher):
		return slices.Contains(strings.FieldsFunc(*r.Matcher, func(c rune) bool { return c == '|' || c == ',' || c == ' ' }), tool)
	}
	return regexp.MustCompile(*r.Matcher).MatchString(tool)
}

func registered(t *testing.T) map[string][]registration {
	t.Helper()
	var manifest struct {
		Hooks map[string][]registration
	}
	musttest.Do(t, json.Unmarshal([]byte(readFile(t, filepath.Join(repository, "plugin", "hooks", "hooks.json"))), &manifest))
	return manifest.Hooks
}

func TestEveryProgramIsRegisteredUnderItsEvent(t *testing.T) {
	want, got := map[string]string{}, map[string]string{}
	for _, h := range served {
		want[h.Name()] = h.Event
	}
	const picker = "${CLAUDE_PLUGIN_ROOT}/hooks/hook"
	for event, registrations := range registered(t) {
		for _, r := range registrations {
			for _, h := range r.Hooks {
				if h.Command != picker || h.Args == nil || len(*h.Args) != 1 || got[(*h.Args)[0]] != "" {
					t.Fatalf("%s runs %q %v: want one registration of a program, by %s", event, h.Command, h.Args, picker)
				}
				got[(*h.Args)[0]] = event
			}
		}
	}
	musttest.Same(t, want, got, "hooks.json is out of step with pkg/hook/hooks (-code +hooks.json)")
}

func TestProgramsFilesAndHooksAreInStep(t *testing.T) {
	var names []string
	for _, h := range served {
		names = append(names, h.Name())
	}
	slices.Sort(names)
	musttest.Same(t, names, directories(t, filepath.Join(repository, "apps", "hooks")), "apps/hooks (-code +directories)")
	var declared, events []string // by the files, and by the table of this test
	for _, text := range sources(t) {
		for _, line := range regexp.MustCompile(`(?m)^var (\w+) = hook\.Hook\{$`).FindAllStringSubmatch(text, -1) {
			declared = append(declared, line[1])
		}
	}
	for _, h := range served {
		events = append(events, h.Event)
		main := readFile(t, filepath.Join(repository, "apps", "hooks", h.Name(), "main.go"))
		if !strings.Contains(main, "hooks.Main(hooks."+h.Event+")") {
			t.Errorf("apps/hooks/%s does not run hooks.%s", h.Name(), h.Event)
		}
	}
	slices.Sort(declared)
	slices.Sort(events)
	musttest.Same(t, events, declared, "hooks in the files of pkg/hook/hooks (-table of this test +files)")
}

// sources are the texts of the package's files, without those of tests.
func sources(t *testing.T) map[string]string {
	t.Helper()
	files := musttest.Get(filepath.Glob("*.go"))(t)
	texts := map[string]string{}
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			texts[file] = readFile(t, file)
		}
	}
	return texts
}

// A variable initialised by a call costs every program time at its start, and links the code of the call into all of them.
func TestTheCompilerInitialisesTheVariables(t *testing.T) {
	for name, text := range sources(t) {
		file := musttest.Get(parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution))(t)
		for _, declaration := range file.Decls {
			if variables, isList := declaration.(*ast.GenDecl); isList && variables.Tok == token.VAR {
				ast.Inspect(variables, func(n ast.Node) bool {
					call, isCall := n.(*ast.CallExpr)
					if isCall && types.ExprString(call.Fun) != "errors.New" {
						t.Errorf("%s: a variable is initialised by the call %s", name, types.ExprString(call))
					}
					_, isFunction := n.(*ast.FuncLit)
					return !isFunction
				})
			}
		}
	}
}

func TestRegistrationsAreSafeForEveryClient(t *testing.T) {
	deadlines := map[string]time.Duration{}
	for _, h := range served {
		deadlines[h.Event] = h.Limit(config.Default().Hooks)
	}
	for event, registrations := range registered(t) {
		if !slices.Contains(longStanding, event) {
			t.Errorf("%s: older clients do not support it and drop the plugin", event)
		}
		for _, r := range registrations {
			for _, h := range r.Hooks {
				musttest.Same(t, "command", h.Type, "%s: only a command can reach the memory", event)
				if h.Args == nil {
					t.Errorf("%s: without args the client runs it through a shell", event)
				}
				limit := time.Duration(h.Timeout * float64(time.Second))
				if limit <= deadlines[event]+grace {
					t.Errorf("%s: the client's timeout of %s is not above the hook's deadline of %s and its grace of %s", event, limit, deadlines[event], grace)
				}
			}
		}
	}
	if d := deadlines[hookio.SessionEnd]; d <= 0 || d+grace >= sessionEndBudget {
		t.Errorf("SessionEnd may take %s, the client kills it after %s", d+grace, sessionEndBudget)
	}
}

// A matcher passes every tool that its hook does something with, and where there
// is one, no other: a program that starts for nothing costs every tool call.
func TestMatchersPassTheToolsTheCodeHandles(t *testing.T) {
	for event, registrations := range registered(t) {
		handled, aboutTools := toolsHandled[event]
		for _, r := range registrations {
			if !aboutTools {
				if r.Matcher != nil {
					t.Errorf("%s: has no tools, but matcher %q", event, *r.Matcher)
				}
				continue
			}
			var passed []string
			for _, tool := range tools {
				if r.passes(tool) {
					passed = append(passed, tool)
				}
			}
			if r.Matcher == nil {
				passed = slices.DeleteFunc(passed, func(tool string) bool { return !slices.Contains(handled, tool) })
			}
			musttest.Same(t, handled, passed, "%s (-code +hooks.json)", event)
		}
	}
}

// The table above must describe the present hooks, not an earlier intention.
func TestHooksHandleTheToolsOfTheTableOnly(t *testing.T) {
	const clientPID = 4711
	for event, want := range toolsHandled {
		t.Run(event, func(t *testing.T) {
			var handled []string
			for _, tool := range tools {
				w := newWorld(t).with("CLAUDE_PID", strconv.Itoa(clientPID))
				a := startDaemon(t, w, injected)
				musttest.Do(t, errors.Join(os.MkdirAll(w.layout().FailedMarkers(), 0o700), os.WriteFile(w.layout().IdleMarker(clientPID), nil, 0o600)))
				out := runInProcess(t, w, toJSON(t, fields{
					"session_id": session, "hook_event_name": event, "tool_name": tool, "error": "Exit code 1",
					"mcp_server": fields{"name": ourServer, "source": "plugin"},
					"tool_input": fields{
						"command": "make test", "file_path": "a.txt", "notebook_path": "a.ipynb", "content": "x", "new_string": "x",
						"subagent_type": "helper", "prompt": "look", "plan": "look", "questions": []fields{{"question": "which?"}},
					},
					"tool_response": fields{"answers": fields{"which?": "this"}, "status": "completed", "agentType": "helper", "content": []fields{{"type": "text", "text": "found"}}},
				}))
				_, err := os.Stat(w.layout().IdleMarker(clientPID))
				if err != nil || onlyEvent(t, w) != nil || out.Stdout != "" || len(a.requests(t)) > 0 {
					handled = append(handled, tool)
				}
			}
			musttest.Same(t, want, handled, "(-table +code)")
		})
	}
}

func directories(t *testing.T, dir string) []string {
	t.Helper()
	entries := musttest.Get(os.ReadDir(dir))(t)
	var names []string
	for _, entry := range entries {
		if entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	return names
}

const module = "github.com/surrealdb-memory/surrealdb-memory/"

// heavy are packages that cost a program size, start-up time or a network stack.
var heavy = map[string][]string{
	"store":     {"github.com/surrealdb/", module + "pkg/store/surreal", module + "pkg/store/engine"},
	"tokenizer": {"github.com/pkoukk/tiktoken-go", module + "pkg/recall/tokens"},
	"scheduler": {"github.com/robfig/cron", module + "pkg/daemon/", module + "pkg/daemon$"},
	"web":       {"net/http", "crypto/tls"},
	"network":   {"net$", "net/netip"},
	"loggers":   {"log$", "log/slog"},
	"mcp":       {"github.com/modelcontextprotocol/", module + "pkg/mcpserver"},
	"recall":    {module + "pkg/recall$", module + "pkg/text/language/english", "github.com/kljensen/snowball"},
	"consoles":  {"github.com/urfave/cli"},
}

// forbidden lists the groups of heavy packages that a program must not link; "hooks/..." stands for all hook programs.
var forbidden = map[string][]string{
	"hooks/...":  {"network", "loggers", "store", "tokenizer", "scheduler", "web", "mcp", "recall", "consoles"},
	"memory":     {"store", "tokenizer", "scheduler", "mcp"},
	"memory-mcp": {"store", "tokenizer", "scheduler", "consoles"},
	"memoryd":    {"mcp", "consoles"},
}

// requiredOfMemoryd must be found in it, or the table forbids names that nobody uses any more.
var requiredOfMemoryd = []string{"store", "tokenizer", "scheduler", "web", "recall"}

func TestProgramsLinkOnlyWhatTheyNeed(t *testing.T) {
	imports := listed(t)
	of := map[string][]string{} // the packages that the programs of a row link
	programs := 0
	for path, p := range imports {
		dir, isOurs := strings.CutPrefix(path, module+"apps/")
		if !isOurs || p.Name != "main" {
			continue
		}
		programs++
		if strings.HasPrefix(dir, "hooks/") {
			dir = "hooks/..."
		} else if _, known := forbidden[dir]; !known {
			t.Errorf("apps/%s has no row in this test: list the packages that it must not link", dir)
		}
		of[dir] = append(of[dir], p.Deps...)
	}
	if programs < len(served) {
		t.Fatalf("there are %d programs", programs)
	}
	for dir, parts := range forbidden {
		for _, part := range parts {
			for _, found := range linked(of[dir], heavy[part]) {
				t.Errorf("apps/%s links %s (%s); `go list -deps` and `go mod why` show the path", dir, found, part)
			}
		}
	}
	for _, path := range of["hooks/..."] {
		if p := imports[path]; !p.Standard && !strings.HasPrefix(path, module) {
			t.Errorf("a hook links %s: it takes the standard library and this module only", path)
		}
	}
	for _, part := range requiredOfMemoryd {
		if len(linked(of["memoryd"], heavy[part])) == 0 {
			t.Errorf("memoryd links nothing of %q %v: bring the table up to date", part, heavy[part])
		}
	}
}

type listedPackage struct {
	ImportPath, Name string
	Standard         bool
	Deps             []string
}

// listed returns the packages of all programs, by import path.
func listed(t *testing.T) map[string]listedPackage {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Name,Standard,Deps", "./apps/...")
	list.Dir, list.Env = repository, append(os.Environ(), "GOWORK=off") // as a release is built
	out := musttest.Get(list.Output())(t)
	all := map[string]listedPackage{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var p listedPackage
		musttest.Do(t, decoder.Decode(&p))
		all[p.ImportPath] = p
	}
	return all
}

// linked are the packages below one of the prefixes; "$" ends a whole path.
func linked(paths, prefixes []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		return !slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(path+"$", prefix) })
	})
}

// largestHook bounds the bytes of a hook program, stripped, for linux/amd64: a new process reads
// all of it, and each linked package adds to it.
const largestHook = 3_500_000

func TestHookProgramsStaySmall(t *testing.T) {
	if platform := runtime.GOOS + "/" + runtime.GOARCH; platform != "linux/amd64" {
		t.Skipf("the bound is for linux/amd64, and the programs are built for %s", platform)
	}
	programs := musttest.Get(os.ReadDir(libexec))(t)
	for _, program := range programs {
		info := musttest.Get(program.Info())(t)
		if info.Size() > largestHook {
			t.Errorf("%s has %d bytes, the most is %d: build it without -s -w and list its packages with go tool nm -size -sort size", info.Name(), info.Size(), largestHook)
		}
	}
}
