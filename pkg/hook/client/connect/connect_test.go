package connect_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/connect"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/launcher"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// machine is a user's machine with Codex on it.
type machine struct {
	env connect.Env
	dir string // of its configuration
	t   *testing.T
}

func newMachine(t *testing.T) machine {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Codex cannot be connected on Windows")
	}
	home := t.TempDir()
	getenv := func(name string) string { return map[string]string{"HOME": home}[name] }
	m := machine{connect.Env{Paths: paths.FromEnv(getenv), Getenv: getenv, Plugin: filepath.Join(home, "plugin")}, filepath.Join(home, ".codex"), t}
	musttest.Do(t, os.MkdirAll(m.dir, 0o700))
	return m
}

func (m machine) codex() connect.Codex { return connect.NewCodex(m.env) }

func (m machine) write(name, content string) {
	m.t.Helper()
	musttest.Do(m.t, os.WriteFile(filepath.Join(m.dir, name), []byte(content), 0o640))
}

// read is the content of a file, or that there is none.
func (m machine) read(name string) string {
	content, err := os.ReadFile(filepath.Join(m.dir, name))
	if err != nil {
		return "no file"
	}
	return string(content)
}

func (m machine) connect() bool {
	m.t.Helper()
	return musttest.Get(m.codex().Connect())(m.t)
}

func (m machine) disconnect() bool {
	m.t.Helper()
	return musttest.Get(m.codex().Disconnect())(m.t)
}

// odd are configurations that people have, each a hooks.json and a config.toml.
var odd = map[string][2]string{
	"nothing":            {"no file", "no file"},
	"empty files":        {"", ""},
	"no newline at ends": {`{"hooks":{}}`, `model = "x"`},
	"others' hooks": {
		"{\n\t\"description\": \"mine <&>\",\n\t\"hooks\": {\"Stop\": [ {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\", \"async\": true}]} ],\n\t\"Later\": []},\n\t\"z\": 1e3\n}",
		"# mine\nmodel = \"x\" # the best\n\n[mcp_servers.other]\ncommand = 'npx'\nargs = [\n  \"-y\", # yes\n  \"other\",\n]\n\n\n# the end\n",
	},
	"windows' line ends":   {"{\r\n  \"hooks\": {}\r\n}\r\n", "model = \"x\"\r\n\r\n[features]\r\nhooks = true\r\n"},
	"a byte order mark":    {"\ufeff{}", "a = 1\n"},
	"a multi-line string":  {"{}", "a = \"\"\"\n[mcp_servers.surrealdb-memory]\ncommand = 'x'\n\"\"\"\n"},
	"a copy of our table":  {"{}", "a = '''\n[mcp_servers.surrealdb-memory]\ncommand = \"/x/clients/run\"\nargs = [\"memory-mcp\"]\n'''\n[b]\nc = [\n[1],\n[2],\n]"},
	"our name in comments": {"{}", "#[mcp_servers.surrealdb-memory]\n# command = \"/x/clients/run\"\n"},
	"dotted names":         {"{}", "mcp_servers.other.command = 'x'\n[mcp_servers.\"surrealdb-memory.\"]\ncommand = \"/x/clients/run\"\n"},
}

func TestConnectingAndDisconnectingLeavesWhatOthersWrote(t *testing.T) {
	for name, files := range odd {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			for i, file := range []string{"hooks.json", "config.toml"} {
				if files[i] != "no file" {
					m.write(file, files[i])
				}
			}
			m.requireUndone()
		})
	}
}

// said is what both files say: the values of hooks.json, and config.toml to the byte but for a newline at its end. A file
// that is empty, or has no hook and nothing else, says as much as none.
func (m machine) said() []string {
	m.t.Helper()
	var hooks map[string]any
	if text := strings.TrimPrefix(m.read("hooks.json"), "\ufeff"); strings.TrimSpace(text) != "" && text != "no file" {
		musttest.Do(m.t, json.Unmarshal([]byte(text), &hooks))
	}
	events, _ := hooks["hooks"].(map[string]any)
	maps.DeleteFunc(events, func(_ string, groups any) bool { return fmt.Sprint(groups) == "[]" })
	if len(events) == 0 {
		delete(hooks, "hooks")
	}
	return []string{fmt.Sprint(hooks), strings.TrimSuffix(strings.TrimPrefix(m.read("config.toml"), "no file"), "\n")}
}

// requireUndone connects and disconnects Codex, each twice.
func (m machine) requireUndone() {
	m.t.Helper()
	before := m.said()
	if !m.connect() {
		m.t.Error("nothing was changed")
	}
	if s := m.codex().State(); !s.Connected || !s.Installed {
		m.t.Errorf("it is %+v", s)
	}
	m.requireValid()
	first := m.said()
	if m.connect() || !slices.Equal(m.said(), first) {
		m.t.Error("the second time changed something")
	}
	if !m.disconnect() {
		m.t.Error("nothing was taken out")
	}
	if got := m.said(); !slices.Equal(got, before) {
		m.t.Errorf("the files are\n%q, were\n%q", got, before)
	}
	if m.disconnect() {
		m.t.Error("the second time took something out")
	}
	if s := m.codex().State(); s.Connected || s.Partly {
		m.t.Errorf("it is %+v", s)
	}
}

// requireValid wants both files, if they are there, to be in their formats.
func (m machine) requireValid() {
	m.t.Helper()
	hooks, config := strings.TrimPrefix(m.read("hooks.json"), "\ufeff"), m.read("config.toml")
	if hooks != "no file" && !json.Valid([]byte(hooks)) || config != "no file" && toml.Unmarshal([]byte(config), new(map[string]any)) != nil {
		m.t.Errorf("hooks.json is %q, config.toml %q", hooks, config)
	}
}

// TestWhatChangedMeanwhileStays: the user has added a server and a hook, and Codex has recorded trusted hooks.
func TestWhatChangedMeanwhileStays(t *testing.T) {
	m := newMachine(t)
	m.write("config.toml", "model = \"x\"\n\n[features]\nweb = true\n")
	m.connect()
	hooks := filepath.Join(m.dir, "hooks.json")
	m.write("config.toml", m.read("config.toml")+"\n# theirs\n[mcp_servers.other]\ncommand = \"npx\"\n\n[hooks.state]\n\n[hooks.state.\""+hooks+":stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n")
	m.write("hooks.json", strings.Replace(m.read("hooks.json"), `"Stop": [`, `"Stop": [ {"hooks":[{"type":"command","command":"say done"}]},`, 1))
	m.disconnect()
	if got, want := m.read("config.toml"), "model = \"x\"\n\n[features]\nweb = true\n\n# theirs\n[mcp_servers.other]\ncommand = \"npx\"\n\n[hooks.state]\n\n[hooks.state.\""+hooks+":stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n"; got != want {
		t.Errorf("config.toml is\n%s\nwant\n%s", got, want) // ours has become the second: the first one's trust is theirs
	}
	got := m.read("hooks.json")
	if strings.Contains(got, "clients/run") || strings.Contains(got, "SessionStart") || !strings.Contains(got, "say done") {
		t.Errorf("hooks.json is\n%s", got)
	}
}

// TestOurTableInAnotherForm: an earlier version of ours is taken out in each form of a table, and nothing else is touched.
func TestOurTableInAnotherForm(t *testing.T) {
	const command = "command = \"/elsewhere/clients/run\"\n"
	for name, c := range map[string]struct{ before, ours, after string }{
		"in quotes":           {"a = 1\n", "\n[\"mcp_servers\" . 'surrealdb-memory'] # mine\n" + command, "\n# theirs\n[b]\n"},
		"with what was added": {"[a]\n", "\n[mcp_servers.surrealdb-memory]\n" + command + "args = [\n\"x\", # y\n]\nenabled = false\n\n[mcp_servers.surrealdb-memory.env]\nA = \"\"\"\n[b]\n\"\"\"\n", "\n[b]\n"},
		"with indented lines": {"", "  [mcp_servers.surrealdb-memory]\n\n  " + command, "\n  [[b]]\n"},
		"between strings":     {"a = '''\n[mcp_servers.surrealdb-memory]\n" + command + "'''\n", "[mcp_servers.surrealdb-memory]\n" + command, "[b]\nc = [\n[1],\n[2]]\n"},
		"windows' line ends":  {"a = 1\r\n\r\n", "[mcp_servers.surrealdb-memory]\r\n" + command, "\r\n[b]\r\n"},
		"before a last word":  {"a = 1\n", "[mcp_servers.surrealdb-memory]\n" + command, "# the end"},
		"a value":             {"mcp_servers.surrealdb-memory = { command = \"/elsewhere/clients/run\" }\n", "", ""},
		"dotted":              {"[mcp_servers]\nsurrealdb-memory." + command, "", "[b]\n"},
		"that is another's":   {"[mcp_servers.surrealdb-memory]\ncommand = \"x\"\n", "", ""},
		"without a command":   {"[mcp_servers.surrealdb-memory.env]\na = \"/clients/run\"\n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.write("config.toml", c.before+c.ours+c.after)
			if m.disconnect() != (c.ours != "") || m.read("config.toml") != c.before+c.after {
				t.Errorf("it is %q, want %q", m.read("config.toml"), c.before+c.after)
			}
			m.write("config.toml", c.before+c.ours+c.after)
			if _, err := m.codex().Connect(); (err == nil) != (c.ours != "") {
				t.Errorf("connecting: %v", err)
			}
			m.requireValid()
		})
	}
}

// Codex notes for each folder whether it is trusted: 70,000 tables are 5 MB. Building all of them takes minutes.
func TestALargeFileOfTablesIsReadQuickly(t *testing.T) {
	m := newMachine(t)
	var text strings.Builder
	for i := range 70_000 {
		_, _ = fmt.Fprintf(&text, "[projects.\"/home/dev/projects/of/some/team/number-%d\"]\ntrust_level = \"trusted\"\n\n", i)
	}
	m.write("config.toml", text.String())
	m.connect()
	m.disconnect()
	musttest.Same(t, text.String(), m.read("config.toml"), "what is left")
}

func TestWhatIsNotUnderstoodIsRefused(t *testing.T) {
	for name, files := range map[string][2]string{
		"no JSON":                 {"{", ""},
		"JSON with comments":      {"{} // mine", ""},
		"a list":                  {"[]", ""},
		"hooks that are a list":   {`{"hooks":[]}`, ""},
		"groups that are a text":  {`{"hooks":{"Stop":"say"}}`, ""},
		"a group that is a text":  {`{"hooks":{"Stop":["say"]}}`, ""},
		"no TOML":                 {"{}", "model = "},
		"another server's name":   {"{}", "[mcp_servers.surrealdb-memory]\ncommand = \"x\"\n"},
		"servers that are inline": {"{}", "mcp_servers = {}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.write("hooks.json", files[0])
			m.write("config.toml", files[1])
			musttest.Says(t, "nothing was changed", musttest.Err(m.codex().Connect()), "connecting")
			if m.read("hooks.json") != files[0] || m.read("config.toml") != files[1] {
				t.Error("a file was changed")
			}
		})
	}
}

// TestAPipeIsNotWaitedFor: a pipe in the place of a file is reported, and causes no delay.
func TestAPipeIsNotWaitedFor(t *testing.T) {
	m := newMachine(t)
	if out, err := exec.CommandContext(t.Context(), "mkfifo", filepath.Join(m.dir, "config.toml")).CombinedOutput(); err != nil {
		t.Skipf("mkfifo: %v %s", err, out)
	}
	musttest.Says(t, "is not a regular file", musttest.Err(m.codex().Connect()), "connect says")
	musttest.Says(t, "is not a regular file", musttest.Err(m.codex().Disconnect()), "disconnect says")
	if s := m.codex().State(); !strings.Contains(strings.Join(s.Problems, "; "), "is not a regular file") {
		t.Errorf("its state is %+v", s)
	}
}

// TestAnInterruptedChangeIsFinished: one file was written, the other was not.
func TestAnInterruptedChangeIsFinished(t *testing.T) {
	m := newMachine(t)
	m.write("config.toml", "a = 1\n")
	m.connect()
	m.write("config.toml", "a = 1\n") // as if it had not been reached
	if s := m.codex().State(); !s.Partly {
		t.Errorf("it is %+v", s)
	}
	if !m.connect() || !m.codex().State().Connected {
		t.Error("the second time did not finish it")
	}
	m.disconnect()
	if got := m.read("config.toml"); got != "a = 1\n" || strings.Contains(m.read("hooks.json"), "clients/run") {
		t.Errorf("config.toml is %q, hooks.json %q", got, m.read("hooks.json"))
	}
}

func TestALinkIsFollowedAndTheRightsStay(t *testing.T) {
	m := newMachine(t)
	real := filepath.Join(t.TempDir(), "settings.toml")
	musttest.Do(t, os.WriteFile(real, []byte("a = 1\n"), 0o640))
	link := filepath.Join(m.dir, "config.toml")
	musttest.Do(t, os.Symlink(real, link))
	hooks, hooksLink := filepath.Join(t.TempDir(), "hooks.json"), filepath.Join(m.dir, "hooks.json")
	musttest.Do(t, errors.Join(os.WriteFile(hooks, []byte("{}"), 0o600), os.Symlink(hooks, hooksLink)))
	m.connect()
	m.disconnect()
	if target, err := os.Readlink(hooksLink); err != nil || target != hooks || m.read("hooks.json") != "{}\n" {
		t.Errorf("the hooks' link leads to %q: %v, with %q", target, err, m.read("hooks.json"))
	}
	musttest.Same(t, real, musttest.Get(os.Readlink(link))(t), "the link leads to")
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file is %v: %v", info.Mode(), err)
	}
}

func TestWhyHooksDoNotRunIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		config string // behind ours
		want   string
	}{
		"nobody trusts them":       {"", "11 of 11 hooks are not trusted"},
		"one is another by now":    {"[hooks.state.\"HOOKS:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n", "11 of 11 hooks are not trusted"},
		"one is trusted":           {"[hooks.state.\"HOOKS:stop:0:0\"]\ntrusted_hash = \"sha256:HASH\"\n", "10 of 11 hooks are not trusted"},
		"all are switched off":     {"[features]\nhooks = false\n", "hooks are switched off"},
		"the server, switched off": {"[mcp_servers.surrealdb-memory.x]\n", "not trusted"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.connect()
			sum := sha256.Sum256([]byte(`{"event_name":"stop","hooks":[{"async":false,"command":"'` + m.env.Paths.Launcher() + `' stop --client codex","timeout":5,"type":"command"}]}`))
			m.write("config.toml", m.read("config.toml")+strings.NewReplacer("HOOKS", filepath.Join(m.dir, "hooks.json"), "HASH", hex.EncodeToString(sum[:])).Replace(c.config))
			s := m.codex().State()
			if !slices.ContainsFunc(s.Problems, func(p string) bool { return strings.Contains(p, c.want) }) || s.Remedy == "" {
				t.Errorf("it is %+v, want %q", s, c.want)
			}
		})
	}
	m := newMachine(t)
	m.connect()
	musttest.Do(t, os.Remove(m.env.Paths.Launcher()))
	if s := m.codex().State(); !strings.Contains(strings.Join(s.Problems, "\n"), "missing") {
		t.Errorf("without the launcher it is %+v", s)
	}
	m.write("hooks.json", "{}")
	if s := m.codex().State(); !s.Partly || s.Connected {
		t.Errorf("without the hooks it is %+v", s)
	}
}

func TestTheLauncherLeadsToThePlugin(t *testing.T) {
	m := newMachine(t)
	m.env.Plugin = filepath.Join(t.TempDir(), "it's a plugin")
	run := func() string {
		output, err := exec.CommandContext(t.Context(), m.env.Paths.Launcher(), "stop", "--client", "codex").CombinedOutput()
		if err != nil {
			t.Errorf("the launcher: %v\n%s", err, output)
		}
		return string(output)
	}
	musttest.Do(t, launcher.Refresh(m.env.Paths, m.env.Plugin))
	musttest.Is(t, fs.ErrNotExist, musttest.Err(os.Stat(m.env.Paths.Launcher())), "a launcher was made that nobody calls")
	m.connect()
	musttest.Same(t, "", run(), "without a plugin it says")
	program := func(name string) {
		t.Helper()
		file := filepath.Join(m.env.Plugin, name)
		musttest.Do(t, os.MkdirAll(filepath.Dir(file), 0o700))
		musttest.Do(t, os.WriteFile(file, []byte("#!/bin/sh\necho \""+name+" $MEMORY_HOME $*\"\n"), 0o700))
	}
	program("libexec/hook") // as released
	musttest.Same(t, "libexec/hook "+m.env.Paths.Home+" stop --client codex\n", run(), "it ran")
	program("libexec/stop") // as built
	musttest.Same(t, "libexec/stop "+m.env.Paths.Home+" --client codex\n", run(), "it ran")
	m.env.Plugin = t.TempDir() // another version
	program("libexec/stop")
	musttest.Do(t, launcher.Refresh(m.env.Paths, m.env.Plugin))
	if got := run(); !strings.HasPrefix(got, "libexec/stop") {
		t.Errorf("it ran %q", got)
	}
}
