package hooks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonserver"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// program is a hook program with an input that it does something with.
type program struct {
	name  string
	event string
	input string
	// needs ends with the part of input without which there is nothing to capture; empty for a program that captures nothing.
	needs string
}

// programs are those that capture an event of their input.
var programs = []program{
	{"session-start", hookio.SessionStart, `{"session_id":"s-1","cwd":"/home/dev/project","hook_event_name":"SessionStart","source":"startup"}`, `{"session_id":"s-1"`},
	{"session-end", hookio.SessionEnd, `{"session_id":"s-1","cwd":"/home/dev/project","hook_event_name":"SessionEnd","reason":"other"}`, `{"session_id":"s-1"`},
	{"user-prompt-submit", hookio.UserPromptSubmit, `{"session_id":"s-1","cwd":"/home/dev/project","hook_event_name":"UserPromptSubmit","prompt":"do the task"}`, `"prompt":"do the task"`},
	{"post-tool-use", hookio.PostToolUse, `{"session_id":"s-1","cwd":"/home/dev/project","hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{"file_path":"/home/dev/project/a.txt","content":"one\ntwo\n"},"tool_response":{"type":"create"}}`, `"file_path":"/home/dev/project/a.txt"`},
	{"post-tool-use-failure", hookio.PostToolUseFailure, `{"session_id":"s-1","cwd":"/home/dev/project","hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"make test","description":"x"},"error":"Exit code 2\nboom","is_interrupt":false}`, `"command":"make test"`},
	{"subagent-stop", hookio.SubagentStop, `{"session_id":"s-1","cwd":"/home/dev/project","hook_event_name":"SubagentStop","agent_id":"a1","agent_type":"helper","stop_hook_active":false,"last_assistant_message":"found it","background_tasks":[]}`, `"last_assistant_message":"found it"`},
	{"task-completed", hookio.TaskCompleted, `{"session_id":"s-1","cwd":"/home/dev/project","hook_event_name":"TaskCompleted","task_id":"1","task_subject":"ship it","task_description":"soon"}`, `"task_subject":"ship it"`},
	{"pre-compact", hookio.PreCompact, `{"session_id":"s-1","cwd":"/home/dev/project","hook_event_name":"PreCompact","trigger":"auto","custom_instructions":null}`, `{"session_id":"s-1"`},
	{"post-compact", hookio.PostCompact, `{"session_id":"s-1","cwd":"/home/dev/project","hook_event_name":"PostCompact","trigger":"auto","compact_summary":"<summary>it was split</summary>"}`, `"compact_summary":"<summary>it was split</summary>"`},
	{"stop", hookio.Stop, `{"session_id":"s-1","cwd":"/home/dev/project","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"done","background_tasks":[]}`, `"last_assistant_message":"done"`},
	{"stop-failure", hookio.StopFailure, `{"session_id":"s-1","cwd":"/home/dev/project","hook_event_name":"StopFailure","error":"rate_limit","last_assistant_message":"API Error"}`, `"error":"rate_limit"`},
	{"notification", hookio.Notification, `{"session_id":"s-1","cwd":"/home/dev/project","hook_event_name":"Notification","message":"waiting","notification_type":"idle_prompt"}`, `"notification_type":"idle_prompt"`},
}

// silent are those that capture nothing.
var silent = []program{
	{"setup", hookio.Setup, `{"session_id":"s-1","cwd":"/home/dev/project","hook_event_name":"Setup","trigger":"init"}`, ""},
	{"pre-tool-use", hookio.PreToolUse, `{"session_id":"s-1","cwd":"/home/dev/project","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make test"}}`, ""},
	{"permission-request", hookio.PermissionRequest, `{"session_id":"s-1","cwd":"/home/dev/project","hook_event_name":"PermissionRequest","tool_name":"mcp__plugin_surrealdb-memory_memory__store_memory","tool_input":{"content":"x"}}`, ""},
	{"subagent-start", hookio.SubagentStart, `{"session_id":"s-1","cwd":"/home/dev/project","hook_event_name":"SubagentStart","agent_id":"a1","agent_type":"helper"}`, ""},
	{"teammate-idle", hookio.TeammateIdle, `{"session_id":"s-1","cwd":"/home/dev/project","hook_event_name":"TeammateIdle","teammate_name":"mate"}`, ""},
}

var (
	setupProgram = silent[0]
	allPrograms  = slices.Concat(programs, silent)
)

// events is how many events the program's input is worth.
func (p program) events() int {
	if p.needs == "" {
		return 0
	}
	return 1
}

// logged is how many lines a good run with a daemon logs.
func (p program) logged() int {
	if p.name == setupProgram.name { // misses memoryd
		return 1
	}
	return 0
}

func TestEveryProgramIsTested(t *testing.T) {
	var tested, names []string
	for _, p := range allPrograms {
		tested = append(tested, p.name+" "+p.event)
	}
	for _, h := range served {
		names = append(names, h.Name()+" "+h.Event)
	}
	slices.Sort(tested)
	slices.Sort(names)
	musttest.Same(t, names, tested, "(-served +tested)")
}

// hook is what the program runs.
func (p program) hook() hook.Hook {
	return served[slices.IndexFunc(served, func(h hook.Hook) bool { return h.Name() == p.name })]
}

func (p program) with(old, replacement string) string {
	return strings.Replace(p.input, old, replacement, 1)
}

type outcome struct{ Stdout, Stderr string }

// run runs a built hook program and checks the promises of every program: it exits 0, in time,
// and writes nothing or one line of JSON.
func (p program) run(t *testing.T, w *world, stdin io.Reader, options ...func(*exec.Cmd)) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, filepath.Join(libexec, p.name))
	cmd.Stdout, cmd.Stderr, cmd.Dir = &stdout, &stderr, w.base
	for name, value := range w.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if file, isFile := stdin.(*os.File); isFile {
		cmd.Stdin = file // as the program's own descriptor: exec then waits for nobody's end of it
	} else {
		pipe := musttest.Get(cmd.StdinPipe())(t)
		go func() { // a program that stops reading early is no failure
			_, _ = io.Copy(pipe, stdin)
			_ = pipe.Close()
		}()
	}
	for _, option := range options {
		option(cmd)
	}
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v (%v)\n%s", p.name, err, ctx.Err(), &stderr)
	}
	p.checkAnswer(t, stdout.String())
	return outcome{stdout.String(), stderr.String()}
}

func (p program) checkAnswer(t *testing.T, stdout string) {
	t.Helper()
	if stdout == "" {
		return
	}
	var answer struct {
		Decision           string
		SystemMessage      string
		HookSpecificOutput struct {
			HookEventName     string
			AdditionalContext string
		}
	}
	line, rest, ended := strings.Cut(stdout, "\n")
	if err := json.Unmarshal([]byte(line), &answer); err != nil || rest != "" || !ended {
		t.Errorf("%s answers %q: %v", p.name, stdout, err)
	}
	if answer.Decision != "" && p.event != hookio.Stop {
		t.Errorf("%s decides %q", p.name, answer.Decision)
	}
	if answer.SystemMessage != "" && p.event != hookio.SessionStart && p.event != hookio.Setup && p.event != hookio.UserPromptSubmit {
		t.Errorf("%s shows the user %q", p.name, answer.SystemMessage)
	}
	if name := answer.HookSpecificOutput.HookEventName; name != p.event && answer.Decision == "" && answer.SystemMessage == "" {
		t.Errorf("%s answers to %q", p.name, name)
	}
	if n := len(utf16.Encode([]rune(answer.HookSpecificOutput.AdditionalContext))); n > hookio.MaxContextChars {
		t.Errorf("%s injects %d characters", p.name, n)
	}
}

// expect checks the number of captured events and of lines in the log, and reports whether they are as expected.
func (w *world) expect(t *testing.T, events, logged int) (isMet bool) {
	t.Helper()
	got := w.spooled(t)
	musttest.Same(t, events, len(got), "how many events are in the spool: %v", got)
	for _, event := range got {
		musttest.Same(t, "s-1", event["session"], "an event of session")
	}
	log := w.log(t)
	musttest.Same(t, logged, len(log), "how many lines are in the log: %q", log)
	return len(got) == events && len(log) == logged
}

// Each damaged input, to each hook, with a running daemon: the readable part is captured once,
// and one line in the log has the error.
func TestProgramsTakeAnyInput(t *testing.T) {
	type damaged struct {
		input          string
		events, logged int
	}
	for _, p := range allPrograms {
		captured, logged := p.events(), p.logged()
		cases := map[string]damaged{
			"good":               {p.input, captured, logged},
			"empty":              {"", 0, 1},
			"blank":              {" \n\t\n", 0, 1},
			"garbage":            {"\xff\xfe\x00\x01 not json", 0, 1},
			"array":              {"[" + p.input + "]", 0, 1},
			"null":               {"null", 0, 1},
			"text":               {`"` + p.event + `"`, 0, 1},
			"byte order mark":    {"\ufeff" + p.input, captured, logged},
			"followed by more":   {p.input + "\n{\"session_id\":\"s-2\"}\nmore", captured, logged},
			"unknown fields":     {p.with(`{"session_id"`, `{"new":{"deep":[1,{"a":null}]},"newer":true,"session_id"`), captured, logged},
			"other event":        {p.with(`"hook_event_name":"`+p.event, `"hook_event_name":"Other`), 0, 1},
			"event in lower":     {p.with(`"hook_event_name":"`+p.event, `"hook_event_name":"`+strings.ToLower(p.event)), 0, 1},
			"event of odd type":  {p.with(`"hook_event_name":"`+p.event+`"`, `"hook_event_name":7`), captured, logged},
			"no event":           {p.with(`"hook_event_name":"`+p.event+`",`, ``), captured, logged},
			"cwd of odd type":    {p.with(`"cwd":"/home/dev/project"`, `"cwd":{"a":[]}`), captured, logged},
			"cwd is not utf-8":   {p.with(`/home/dev/project`, "/\xff\xfe"), captured, logged},
			"session twice":      {p.with(`{"session_id"`, `{"session_id":"s-0","session_id"`), captured, logged},
			"source is not utf8": {p.with(`startup`, "start\xffup"), captured, logged},
			"a deep nest":        {p.with(`{"session_id"`, `{"x":`+strings.Repeat("[", 1e5)+strings.Repeat("]", 1e5)+`,"session_id"`), captured, logged},
		}
		if captured == 1 {
			cases["session of odd type"] = damaged{p.with(`"s-1"`, `["s-1"]`), 0, 1}
			cases["no session"] = damaged{p.with(`"session_id":"s-1",`, ``), 0, 1}
		}
		for offset := 1; offset < len(p.input); offset += 1 + len(p.input)/12 {
			prefix := p.input[:offset]
			c := damaged{prefix, 0, 1}
			if captured > 0 && strings.Contains(prefix, p.needs) {
				c.events = captured
			}
			cases[fmt.Sprintf("cut off at byte %d", offset)] = c
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).patient()
			a := startDaemon(t, w, injected)
			for name, c := range cases {
				var output strings.Builder
				musttest.Same(t, 0, hook.Run(p.hook(), w.process(p.hook(), w.local(c.input), &output, io.Discard)), "%s: exit code", name)
				p.checkAnswer(t, output.String())
				a.requests(t) // it has counted what is in the spool
				if !w.expect(t, c.events, c.logged) {
					t.Errorf("with the input: %s", name)
				}
				musttest.Do(t, errors.Join(os.RemoveAll(w.layout().Spool()), os.RemoveAll(w.layout().HookLog())))
			}
		})
	}
}

func TestProgramsTake20MB(t *testing.T) {
	big := strings.Repeat("0123456789abcde\\n", 20<<20/17)
	for i, input := range map[int]string{2: programs[2].with("do the task", "do the task "+big), 3: programs[3].with(`one\ntwo\n`, `one\ntwo\n`+big), 4: programs[4].with(`\nboom`, `\nboom`+big)} {
		p := programs[i]
		t.Run(p.name, func(t *testing.T) {
			w := newWorld(t)
			startDaemon(t, w, "")
			// The deadlines are not tested here.
			w = w.with("MEMORY_HOOKS_DEADLINE", "30s")
			p.run(t, w, strings.NewReader(w.local(input)))
			w.expect(t, 1, 0)
			if size := len(toJSON(t, w.spooled(t)[0])); size > 64<<10 {
				t.Errorf("the event takes %d bytes", size)
			}
			if event := w.spooled(t)[0]; p.event != hookio.PostToolUseFailure && event["truncated"] != true {
				t.Errorf("the event is not marked as cut: %v", event["truncated"])
			}
		})
	}
}

// The client may never close the pipe. Complete fields are captured; for the others the program waits until its deadline.
func TestProgramsDoNotWaitForTheEndOfInput(t *testing.T) {
	for _, p := range allPrograms {
		for name, c := range map[string]struct {
			input          string
			events, logged int
			logs           string
		}{
			"after a whole input": {p.input, p.events(), p.logged(), ""},
			"after half of one":   {p.input[:len(p.input)-2], 0, 1, "gave up"},
		} {
			t.Run(p.name+" "+name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				startDaemon(t, w, "")
				if c.logs == "" {
					w = w.patient() // a complete input is not cut short
				} else {
					w = w.with("MEMORY_HOOKS_SESSION_START_DEADLINE", "50ms")
				}
				r, open, err := os.Pipe()
				musttest.Do(t, err)
				defer func() { _, _ = r.Close(), open.Close() }()
				musttest.Get(open.WriteString(w.local(c.input)))(t)
				p.run(t, w, r)
				w.expect(t, c.events, c.logged)
				if c.logs != "" && !strings.Contains(strings.Join(w.log(t), ""), c.logs) {
					t.Errorf("logged: %q", w.log(t))
				}
			})
		}
	}
}

// askingOrNot are a program of each way to capture: before the daemon is asked, beside that, and without asking it.
var askingOrNot = slices.DeleteFunc(slices.Clone(programs), func(p program) bool {
	return !slices.Contains([]string{"session-start", "user-prompt-submit", "post-tool-use-failure", "stop"}, p.name)
})

// Whatever is wrong around a capturing program, its event is somewhere, once.
func TestProgramsCaptureInAnyEnvironment(t *testing.T) {
	for name, prepare := range map[string]func(*testing.T, *world) (w *world, logged int){
		"no daemon, no memoryd": func(_ *testing.T, w *world) (*world, int) { return w, 1 },
		"stale socket": func(t *testing.T, w *world) (*world, int) {
			listener := musttest.Get(net.Listen("unix", prepared(t, w.layout().Socket())))(t)
			listener.(*net.UnixListener).SetUnlinkOnClose(false)
			musttest.Do(t, listener.Close())
			return w, 1
		},
		"home below a file": func(t *testing.T, w *world) (*world, int) {
			writeFile(t, filepath.Join(w.base, "file"), "")
			return w.with("MEMORY_HOME", filepath.Join(w.base, "file", "home")), 0 // there is no log either
		},
		"home is read-only": func(t *testing.T, w *world) (*world, int) {
			makeDirs(t, w.env["MEMORY_HOME"])
			mount(t, w.env["MEMORY_HOME"], "--bind", w.env["MEMORY_HOME"])
			mount(t, w.env["MEMORY_HOME"], "-o", "remount,bind,ro")
			return w, 0
		},
		"home is full": func(t *testing.T, w *world) (*world, int) {
			makeDirs(t, w.env["MEMORY_HOME"])
			mount(t, w.env["MEMORY_HOME"], "-t", "tmpfs", "-o", "size=64k", "tmpfs")
			fill(t, filepath.Join(w.env["MEMORY_HOME"], "ballast"))
			return w, 0
		},
		"home is open to all": func(t *testing.T, w *world) (*world, int) {
			startDaemon(t, w, "")
			writeFile(t, w.layout().ConfigFile(), `{"disabled":true}`) // another user's word
			musttest.Do(t, os.Chmod(w.env["MEMORY_HOME"], 0o777))
			return w, 0 // nor is anything written to its log
		},
		"home is another user's": func(t *testing.T, w *world) (*world, int) {
			makeDirs(t, w.env["MEMORY_HOME"])
			if os.Getuid() != 0 {
				t.Skip("needs root, to be two users")
			}
			musttest.Do(t, os.Chown(w.env["MEMORY_HOME"], 61_002, 61_002))
			return w, 0
		},
		"home is full, and so is the user's": func(t *testing.T, w *world) (*world, int) {
			makeDirs(t, filepath.Join(w.base, "run"))
			writeFile(t, filepath.Join(w.base, "file"), "")
			below := filepath.Join(w.base, "file", "home")
			return w.with("MEMORY_HOME", below, "HOME", below, "XDG_RUNTIME_DIR", filepath.Join(w.base, "run")), 0
		},
		"unknown and unusable settings": func(t *testing.T, w *world) (*world, int) {
			startDaemon(t, w, "")
			writeFile(t, w.layout().ConfigFile(), `{"hooks":{"user_promt":{"deadline":"1s"}},"colour\nblue":1,"distill.input_price":9999}`)
			return w.with("MEMORY_HOOKS_USER_PROMPT_TOKEN_BUDGET", "many"), 1
		},
		"home is too deep for a socket": func(t *testing.T, w *world) (*world, int) {
			w = w.with("MEMORY_HOME", filepath.Join(w.base, strings.Repeat("d", 100)))
			startDaemon(t, w, "")
			return w, 0
		},
		"project is gone": func(t *testing.T, w *world) (*world, int) {
			startDaemon(t, w, "")
			return w.with("CLAUDE_PROJECT_DIR", filepath.Join(w.base, "gone")), 0
		},
	} {
		for _, p := range askingOrNot {
			t.Run(name+" "+p.name, func(t *testing.T) {
				w, logged := prepare(t, newWorld(t))
				p.run(t, w.patient(), strings.NewReader(w.local(p.input)))
				w.expect(t, 1, logged)
			})
		}
	}
}

// TestProgramsKeepNothingWhileTheOffSwitchCannotBeRead: the unreadable file may have switched the memory off, so nothing is
// captured, and the start of a session reports this to the user. A readable value counts.
func TestProgramsKeepNothingWhileTheOffSwitchCannotBeRead(t *testing.T) {
	for name, test := range map[string]struct {
		settings, variable string
		off, unread        bool
	}{
		"a byte order mark":                     {settings: "\xef\xbb\xbf{\"disabled\": true}", off: true},
		"a byte order mark before no":           {settings: "\xef\xbb\xbf{\"disabled\": false}"},
		"a comma too many":                      {settings: `{"disabled": true,}`, off: true, unread: true},
		"a comment":                             {settings: "{\n  // away for now\n  \"disabled\": true\n}", off: true, unread: true},
		"the text yes":                          {settings: `{"disabled": "yes"}`, off: true},
		"the number 1":                          {settings: `{"disabled": 1}`, off: true},
		"the text off, which is no":             {settings: `{"disabled": "off"}`},
		"no truth value":                        {settings: `{"disabled": "until monday"}`, off: true, unread: true},
		"an object":                             {settings: `{"disabled": {"by": "me"}}`, off: true, unread: true},
		"an empty object":                       {settings: `{"disabled": {}}`, off: true, unread: true},
		"a list":                                {settings: `{"disabled": [true]}`, off: true, unread: true},
		"null, which is nothing":                {settings: `{"disabled": null}`},
		"in capitals":                           {settings: `{"Disabled": true}`, off: true},
		"cut off":                               {settings: `{"hooks": `, off: true, unread: true},
		"an empty file":                         {settings: " \n", off: true, unread: true},
		"no object":                             {settings: `["disabled"]`, off: true, unread: true},
		"UTF-16":                                {settings: "\xff\xfe{\x00\"\x00", off: true, unread: true},
		"a folder":                              {settings: "folder", off: true, unread: true},
		"a link that leads nowhere":             {settings: "link", off: true, unread: true},
		"the variable yes":                      {variable: "yes", off: true},
		"the variable ON":                       {variable: "ON", off: true},
		"the variable with space":               {variable: " true ", off: true},
		"the variable no":                       {variable: "no"},
		"a variable that is no truth value":     {variable: "perhaps", off: true, unread: true},
		"a file, whatever a variable says":      {settings: `{"disabled": true}`, variable: "false", off: true},
		"a file of no value":                    {settings: `{"disabled": true,}`, variable: "0", off: true, unread: true},
		"a variable before one that is cut off": {settings: `{"dis`, variable: "1", off: true},
	} {
		for _, p := range askingOrNot[:2] {
			t.Run(name+" "+p.name, func(t *testing.T) {
				w := newWorld(t)
				startDaemon(t, w, "")
				switch file := w.layout().ConfigFile(); test.settings {
				case "":
				case "folder":
					makeDirs(t, file)
				case "link":
					makeDirs(t, filepath.Dir(file))
					musttest.Do(t, os.Symlink(filepath.Join(w.base, "gone.json"), file))
				default:
					writeFile(t, file, test.settings)
				}
				if test.variable != "" {
					w = w.with("MEMORY_DISABLED", test.variable)
				}
				out := p.run(t, w.patient(), strings.NewReader(w.local(p.input)))
				events := 1
				if test.off {
					events = 0
				}
				if logged := len(w.log(t)); len(w.spooled(t)) != events || test.unread && logged != 1 {
					t.Errorf("%d events are in the spool, want %d; %d lines in the log", len(w.spooled(t)), events, logged)
				}
				musttest.Same(t, test.unread && p.name == "session-start", strings.Contains(out.Stdout, "the memory is off, and nothing is captured"), "the user is shown %q", out.Stdout)
			})
		}
	}
}

// TestProgramsPutNoHomeIntoTheFolderTheyRunIn: no shell replaces ~ in the variables of a
// client's settings, and hooks run in the user's repositories.
func TestProgramsPutNoHomeIntoTheFolderTheyRunIn(t *testing.T) {
	p := askingOrNot[1]
	for name, test := range map[string]struct {
		variable, value string
		home            string // below the user's; empty: nothing is kept
	}{
		"a tilde":                  {"MEMORY_HOME", "~/memory", "memory"},
		"nothing but a tilde":      {"MEMORY_HOME", "~", "."},
		"the client's by a tilde":  {"CLAUDE_CONFIG_DIR", "~/.config/claude", ".config/claude/surrealdb-memory"},
		"a variable":               {"MEMORY_HOME", "$HOME/memory", "memory"},
		"a variable in braces":     {"MEMORY_HOME", "${HOME}/memory", "memory"},
		"a relative path":          {"MEMORY_HOME", "rel/mem", "rel/mem"},
		"a dot":                    {"MEMORY_HOME", "./mem", "mem"},
		"the client's, relative":   {"CLAUDE_CONFIG_DIR", "conf", "conf/surrealdb-memory"},
		"another user's":           {"MEMORY_HOME", "~nobody/memory", "~nobody/memory"},
		"the folder for the spool": {"XDG_RUNTIME_DIR", "run", ".claude/surrealdb-memory"},
		"the engine's":             {"MEMORY_ENGINE_DIR", "~/engine", ".claude/surrealdb-memory"},
		"a home directory by name": {"HOME", "~", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			user, repository := filepath.Join(w.base, "user"), filepath.Join(w.base, "repository")
			makeDirs(t, user, repository)
			w.env = map[string]string{"HOME": user, "PATH": w.env["PATH"]}
			w.env[test.variable] = test.value
			p.run(t, w.patient(), strings.NewReader(w.local(p.input)), func(cmd *exec.Cmd) { cmd.Dir = repository })
			if left, err := os.ReadDir(repository); err != nil || len(left) > 0 {
				t.Errorf("the repository has %v, %v", left, err)
			}
			var spooled []string
			err := filepath.WalkDir(user, func(file string, entry fs.DirEntry, err error) error {
				if dir := filepath.Dir(file); err == nil && filepath.Base(dir) == "new" && strings.HasSuffix(file, ".json") {
					home, _ := filepath.Rel(user, filepath.Dir(filepath.Dir(dir)))
					spooled = append(spooled, filepath.ToSlash(home))
				}
				return err
			})
			var want []string
			if test.home != "" {
				want = []string{test.home}
			}
			if diff := cmp.Diff(want, spooled); err != nil || diff != "" {
				t.Errorf("the event's home, %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestProgramsWithoutAHomeKeepNothing is about an environment that names no folder
// of the user's: the one for temporary files belongs to everybody.
func TestProgramsWithoutAHomeKeepNothing(t *testing.T) {
	for _, p := range allPrograms {
		t.Run(p.name, func(t *testing.T) {
			w := newWorld(t)
			w.env = map[string]string{"TMPDIR": w.env["TMPDIR"], "PATH": w.env["PATH"]}
			p.run(t, w.patient(), strings.NewReader(w.local(p.input)))
			w.expect(t, 0, 0)
			if entries, err := os.ReadDir(w.env["TMPDIR"]); err != nil || len(entries) > 0 {
				t.Errorf("left %v, %v", entries, err)
			}
		})
	}
}

func prepared(t *testing.T, file string) string {
	t.Helper()
	makeDirs(t, filepath.Dir(file))
	return file
}

// mount mounts until the end of the test, and skips the test where it may not.
func mount(t *testing.T, target string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "mount", append(args, target)...).CombinedOutput(); err != nil {
		t.Skipf("needs the right to mount: %v: %s", err, out)
	}
	if strings.Contains(strings.Join(args, " "), "remount") {
		return
	}
	t.Cleanup(func() {
		if out, err := exec.CommandContext(context.Background(), "umount", target).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
}

// fill writes to a file until its file system is full.
func fill(t *testing.T, file string) {
	t.Helper()
	f := musttest.Get(os.Create(file))(t)
	var err error
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if err := f.Close(); err != nil {
		t.Log(err)
	}
}

func TestDisabledProgramsLeaveNoTrace(t *testing.T) {
	for _, p := range allPrograms {
		t.Run(p.name, func(t *testing.T) {
			w := newWorld(t).with("MEMORY_DISABLED", "1")
			out := p.run(t, w, strings.NewReader(p.input))
			musttest.Same(t, outcome{}, out, "wrote")
			for _, dir := range []string{w.env["MEMORY_HOME"], filepath.Join(w.env["HOME"], ".claude")} {
				musttest.Is(t, fs.ErrNotExist, musttest.Err(os.Stat(dir)), "%s", dir)
			}
			if entries, err := os.ReadDir(w.env["TMPDIR"]); err != nil || len(entries) > 0 {
				t.Errorf("left %v, %v", entries, err)
			}
		})
	}
}

// A project that is switched off, by a file of its own or by a mark in the home,
// is as if the plugin were not there; only the daemon is told of a folder that may be moved.
func TestProgramsLeaveAProjectAloneThatIsSwitchedOff(t *testing.T) {
	const key = "github.com/acme/rocket"
	for name, off := range map[string]func(w *world) string{
		"by a file in the project": func(w *world) string { return filepath.Join(w.project, ".claude", "memory-off") },
		"by a mark in the home":    func(w *world) string { return w.layout().OffMarker(key) },
		"by its folder":            func(w *world) string { return project.Project{Root: w.project}.FolderMarker(w.layout().OffMarker(key)) },
	} {
		switchedOff := allPrograms
		if name == "by its folder" { // the key's mark is looked for in the same place
			switchedOff = askingOrNot
		}
		for _, p := range switchedOff {
			t.Run(name+" "+p.name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				writeFile(t, off(w), "")
				musttest.Same(t, outcome{}, p.run(t, w, strings.NewReader(w.local(p.input))), "wrote")
				w.expect(t, 0, 0)
				for _, trace := range []string{w.layout().StartMarker(), w.layout().Spool(), w.layout().FailedMarkers()} {
					musttest.Is(t, fs.ErrNotExist, musttest.Err(os.Stat(trace)), "%s", trace)
				}
				a := startDaemon(t, w, injected)
				musttest.Same(t, outcome{}, p.run(t, w, strings.NewReader(w.local(p.input))), "with a daemon: wrote")
				isShown := name != "by a file in the project" && p.name == "session-start"
				requests := a.requests(t)
				if isShown && len(requests) == 1 && requests[0].Method == daemonapi.MethodPlace.Name {
					requests, isShown = nil, false
				}
				if len(requests) > 0 || isShown {
					t.Errorf("the daemon got %+v", requests)
				}
			})
		}
	}
}

// The guard protects the memories of all projects, so a repository that switches the memory off for itself does not switch it off.
func TestTheGuardAsksWhereTheMemoryIsOff(t *testing.T) {
	for name, off := range map[string]func(w *world) *world{
		"by a file in the project": func(w *world) *world { writeFile(t, filepath.Join(w.project, ".claude", "memory-off"), ""); return w },
		"by a variable":            func(w *world) *world { return w.with("MEMORY_DISABLED", "true") },
		"by settings that name the home": func(w *world) *world {
			writeFile(t, filepath.Join(w.project, ".claude", "settings.json"), `{"env": {"XDG_RUNTIME_DIR": "/x"}}`)
			return w
		},
		"by settings that cannot be read": func(w *world) *world {
			writeFile(t, filepath.Join(w.project, ".claude", "settings.json"), `{`)
			return w
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := off(newWorld(t))
			input := fmt.Sprintf(`{"session_id":"s-1","cwd":%q,"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"echo x > %s"}}`, w.project, w.layout().ConfigFile())
			out := program{name: "pre-tool-use", event: hookio.PreToolUse}.run(t, w, strings.NewReader(input))
			if !strings.Contains(out.Stdout, `"ask"`) {
				t.Errorf("answered %+v", out)
			}
		})
	}
}

// The same inputs in another project, so that the test above does not pass for another reason.
func TestASwitchedOffProjectDoesNotSilenceOthers(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			writeFile(t, w.layout().OffMarker("github.com/acme/other"), "")
			startDaemon(t, w, "")
			p.run(t, w.patient(), strings.NewReader(w.local(p.input)))
			w.expect(t, 1, 0)
		})
	}
}

// converse listens where the daemon would and gives every caller the same bytes.
func converse(t *testing.T, w *world, answer string) {
	t.Helper()
	listener := musttest.Get(daemonserver.Listen(w.layout().Socket()))(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		var conns []net.Conn
		defer func() {
			for _, conn := range conns {
				_ = conn.Close()
			}
		}()
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conns = append(conns, conn)
			_, _ = io.WriteString(conn, answer)
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
}

// A daemon that never answers costs a session its context and nothing else.
func TestSessionStartGivesUpOnAHungDaemon(t *testing.T) {
	for name, c := range map[string]struct {
		ready bool
		env   []string
	}{
		// The deadline that is not meant is longer than the test's patience.
		"at its warm deadline when the daemon was ready":  {true, []string{"MEMORY_HOOKS_SESSION_START_DEADLINE", patience.String()}},
		"at its own deadline when the daemon is starting": {false, []string{"MEMORY_HOOKS_SESSION_START_DEADLINE", "300ms", "MEMORY_HOOKS_DEADLINE", patience.String()}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			converse(t, w, "")
			if c.ready {
				writeFile(t, w.layout().ReadyMarker(), "")
			}
			w = w.with(c.env...)
			out := programs[0].run(t, w, strings.NewReader(w.local(programs[0].input)))
			w.expect(t, 1, 1)
			musttest.Same(t, "", out.Stdout, "wrote")
		})
	}
}

// TestOnlyTheNestedClientsPromptsAreTheModels has one session in two clients, one of which a model started.
func TestOnlyTheNestedClientsPromptsAreTheModels(t *testing.T) {
	w := newWorld(t)
	p := allPrograms[slices.IndexFunc(allPrograms, func(p program) bool { return p.name == "user-prompt-submit" })]
	writeFile(t, w.layout().NestedMarker("s-1", 7), "")
	for stored, pid := range []string{"7", "8"} {
		w := w.with("CLAUDE_PID", pid)
		p.run(t, w, strings.NewReader(w.local(p.input)))
		musttest.Same(t, stored, musttest.Get(spool.New(w.layout().Spool()).Counts())(t).New, "events of prompts after one in the client %s", pid)
	}
}

// TestAMissedStartComesWithAPrompt starts a session without a daemon.
func TestAMissedStartComesWithAPrompt(t *testing.T) {
	w := newWorld(t).with("MEMORY_HOOKS_SESSION_START_DEADLINE", "100ms", "MEMORY_HOOKS_DEADLINE", patience.String())
	run := func(name string) string {
		t.Helper()
		p := allPrograms[slices.IndexFunc(allPrograms, func(p program) bool { return p.name == name })]
		input := regexp.MustCompile(`"session_id": *"[^"]*"`).ReplaceAllString(w.local(p.input), `"session_id":"s-1"`)
		return p.run(t, w, strings.NewReader(input)).Stdout
	}
	musttest.Same(t, false, strings.Contains(run("session-start"), injected), "a start without a daemon has a context")
	musttest.Same(t, "", run("user-prompt-submit"), "a prompt without a daemon wrote")
	a := startDaemon(t, w, injected)
	musttest.Same(t, true, strings.Contains(run("user-prompt-submit"), "deploys go through"), "the next prompt has a context")
	run("user-prompt-submit")
	var methods []string
	for _, c := range a.requests(t) {
		if c.Method != daemonapi.MethodSpooled.Name {
			methods = append(methods, c.Method)
		}
	}
	musttest.Same(t, []string{"recall", "session_context"}, methods, "two prompts asked for (-want +got)")
	w.expect(t, 4, 1)
}

func TestCapturingProgramsDoNotMindAHungDaemon(t *testing.T) {
	for _, p := range programs[1:] {
		t.Run(p.name, func(t *testing.T) {
			w := newWorld(t)
			converse(t, w, "")
			p.run(t, w, strings.NewReader(w.local(p.input)))
			w.expect(t, 1, 0)
		})
	}
}

// A daemon that was ready and hangs costs a hook its answer and nothing else.
func TestAskingProgramsGiveUpOnAHungDaemon(t *testing.T) {
	for name, events := range map[string]int{
		"user-prompt-submit": 1, "post-tool-use-failure": 1, "pre-tool-use": 0, "subagent-start": 0,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			converse(t, w, "")
			writeFile(t, w.layout().ReadyMarker(), "")
			p := allPrograms[slices.IndexFunc(allPrograms, func(p program) bool { return p.name == name })]
			musttest.Same(t, outcome{}, p.run(t, w, strings.NewReader(w.local(p.input))), "wrote")
			w.expect(t, events, 1)
		})
	}
}

func TestSessionStartTakesAnyAnswer(t *testing.T) {
	long := strings.Repeat("😀", 2*hookio.MaxContextChars)
	for name, c := range map[string]struct {
		answer string
		logged int
		writes string // in the context
	}{
		"good":       {`{"jsonrpc":"2.0","id":1,"result":{"text":"remember"}}` + "\n", 0, "remember"},
		"too long":   {`{"jsonrpc":"2.0","id":1,"result":{"text":"` + long + `"}}` + "\n", 0, "😀"},
		"nothing":    {`{"jsonrpc":"2.0","id":1,"result":{"text":""}}` + "\n", 0, ""},
		"no json":    {"HTTP/1.1 400 Bad Request\n", 1, ""},
		"error":      {`{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"the store\nis down"}}` + "\n", 1, ""},
		"other id":   {`{"jsonrpc":"2.0","id":9,"result":{"text":"of another"}}` + "\n", 1, ""},
		"wrong type": {`{"jsonrpc":"2.0","id":1,"result":[]}` + "\n", 1, ""},
		"no result":  {`{"jsonrpc":"2.0","id":1}` + "\n", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			converse(t, w, c.answer)
			writeFile(t, w.layout().ReadyMarker(), "")
			out := programs[0].run(t, w, strings.NewReader(w.local(programs[0].input)))
			w.expect(t, 1, c.logged)
			if !strings.Contains(out.Stdout, c.writes) || (c.writes == "") != (out.Stdout == "") {
				t.Errorf("wrote %q", out.Stdout)
			}
		})
	}
}

// TestSessionStartSurvivesAnOutputThatTakesNothing has a full disk, and a client that has gone before the answer.
func TestSessionStartSurvivesAnOutputThatTakesNothing(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("needs /dev/full: %v", err)
	}
	reader, closed, err := os.Pipe()
	musttest.Do(t, err)
	_ = reader.Close()
	for _, output := range []*os.File{full, closed} {
		w := newWorld(t)
		startDaemon(t, w, injected)
		programs[0].run(t, w.patient(), strings.NewReader(w.local(programs[0].input)), func(cmd *exec.Cmd) { cmd.Stdout = output })
		w.expect(t, 1, 1)
		_ = output.Close()
	}
}

// installed copies a program into this world's plugin, and has it run there.
func (w *world) installed(t *testing.T, name string) func(*exec.Cmd) {
	t.Helper()
	program := musttest.Get(os.ReadFile(filepath.Join(libexec, name)))(t)
	here := filepath.Join(w.plugin, "libexec", name)
	musttest.Do(t, plugintest.WriteProgram(here, program))
	return func(cmd *exec.Cmd) { cmd.Path = here }
}

// Programs that Setup started and waited for must not outlive it.
func TestSetupEndsItsProgramsAtItsDeadline(t *testing.T) {
	w := newWorld(t).with("MEMORY_HOOKS_SESSION_START_DEADLINE", "50ms")
	script(t, w, "memoryd", "echo $$ > "+w.base+"/pid\nexec sleep 600\n")
	setupProgram.run(t, w, strings.NewReader(setupProgram.input), w.installed(t, "setup"))
	w.expect(t, 0, 1)
	pid := musttest.Get(strconv.Atoi(strings.TrimSpace(readFile(t, filepath.Join(w.base, "pid")))))(t)
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d outlives the hook: %v", pid, err)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// A burst of hooks without a daemon tries to start it once.
func TestABurstOfHooksStartsTheDaemonOnce(t *testing.T) {
	w := newWorld(t)
	for range 5 {
		programs[1].run(t, w, strings.NewReader(w.local(programs[1].input)))
	}
	w.expect(t, 5, 1)
}

func TestEachAnswerIsAnEvent(t *testing.T) {
	w := newWorld(t)
	startDaemon(t, w, "")
	questions := []fields{storeQuestion, {"question": "Where do migrations run?", "header": "Run"}, {"question": "Is there a port?", "header": "Port"}}
	runInProcess(t, w, toJSON(t, toolUse("AskUserQuestion", fields{"questions": questions}, fields{
		"answers": fields{"Which store should the queue use?": "Redis", "Where do migrations run?": "In the deploy job"},
	})))
	got := map[string]string{}
	for _, e := range w.spooled(t) {
		got[fmt.Sprint(e["last_words"])] = fmt.Sprint(e["kind"], " ", e["text"])
	}
	want := map[string]string{"Which store should the queue use?": "answered Redis", "Where do migrations run?": "answered In the deploy job"}
	musttest.Same(t, want, got, "the events")
}

// A repository's hook can answer a dialog, or submit the first prompt of print mode; the client's input then looks like the user's.
func TestWhatAProjectsHookSaysIsNotTheUsers(t *testing.T) {
	answer := toJSON(t, toolUse("AskUserQuestion", fields{"questions": []fields{storeQuestion}}, fields{"answers": fields{"Which store should the queue use?": "Redis"}}))
	answered := func(t *testing.T, w *world) bool {
		runInProcess(t, w, answer)
		return slices.ContainsFunc(w.spooled(t), func(e fields) bool { return e["kind"] == "answered" })
	}
	for hooks, want := range map[string]bool{
		`{"PreToolUse":[{"matcher":"AskUserQuestion","hooks":[]}]}`: false, `{"PreToolUse":[{"matcher":"Bash|AskUserQuestion"}]}`: false, `{"PreToolUse":[{}]}`: false,
		`{"PreToolUse":[{"matcher":"*"}]}`: false, `{"PreToolUse":[{"matcher":"Ask.*"}]}`: false, `{"PermissionRequest":[{"matcher":""}]}`: false, `not JSON`: false,
		`{"PreToolUse":[{"matcher":"Bash"}]}`: true, `{"PostToolUse":[{}]}`: true, `{"PreToolUse":[{"matcher":"Edit|Write"}]}`: true, `{}`: true,
	} {
		w := newWorld(t)
		startDaemon(t, w, "")
		writeFile(t, filepath.Join(w.project, ".claude", "settings.json"), `{"hooks":`+hooks+`}`)
		if got := answered(t, w); got != want {
			t.Errorf("with the hooks %s an answer is kept: %v", hooks, got)
		}
	}
	for hooks, want := range map[string]any{`{"SessionStart":[{"hooks":[]}]}`: "[print mode]\nAlways squash.", `{"Stop":[{}]}`: "Always squash."} {
		w := newWorld(t).with("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")
		startDaemon(t, w, "")
		writeFile(t, filepath.Join(w.project, ".claude", "settings.local.json"), `{"hooks":`+hooks+`}`)
		runInProcess(t, w, toJSON(t, fields{"session_id": session, "hook_event_name": hookio.UserPromptSubmit, "prompt": "Always squash."}))
		musttest.Same(t, want, w.spooled(t)[0]["prompt"], "with the hooks %s", hooks)
	}
}

// The daemon takes the words of dialogs as the user's only if a person ran the session.
func TestTheEndOfASessionSaysWhoRanIt(t *testing.T) {
	for entrypoint, isPersons := range map[string]any{"cli": true, "sdk-ts": nil} {
		w := newWorld(t).with("CLAUDE_CODE_ENTRYPOINT", entrypoint)
		startDaemon(t, w, "")
		runInProcess(t, w, toJSON(t, fields{"session_id": session, "hook_event_name": hookio.SessionEnd, "reason": "other", "transcript_path": "/t.jsonl"}))
		for _, e := range w.spooled(t) {
			musttest.Same(t, []any{isPersons, "/t.jsonl"}, []any{e["by_user"], e["transcript"]}, "%s", entrypoint)
		}
	}
}

// TestNamesAreRedactedAsText is about whoever may choose a session's id, a path, a tool's name or a directory.
func TestNamesAreRedactedAsText(t *testing.T) {
	for name, input := range map[string]fields{
		"session":   {"session_id": "s-" + githubToken, "hook_event_name": hookio.SessionEnd, "reason": "other"},
		"reason":    {"session_id": session, "hook_event_name": hookio.SessionEnd, "reason": githubToken},
		"directory": {"session_id": session, "cwd": "/home/dev/" + githubToken + "/x", "hook_event_name": hookio.SessionEnd, "reason": "other"},
		"path":      {"session_id": session, "hook_event_name": hookio.PostToolUse, "tool_name": "Write", "tool_input": fields{"file_path": "/home/dev/" + githubToken, "content": "x"}},
		"tool":      {"session_id": session, "hook_event_name": hookio.PostToolUse, "tool_name": "mcp__x__" + githubToken, "tool_input": fields{"a": "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if name == "directory" {
				delete(w.env, "CLAUDE_PROJECT_DIR")
			}
			startDaemon(t, w, "")
			runInProcess(t, w, toJSON(t, input))
			events := w.spooled(t)
			if len(events) != 1 {
				t.Fatalf("%d events", len(events))
			}
			if text := toJSON(t, events[0]); strings.Contains(text, githubToken) || !strings.Contains(text, "[redacted:github-token]") {
				t.Errorf("kept %s", text)
			}
		})
	}
}
