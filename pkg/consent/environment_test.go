package consent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seen is a process whose parents have these environments; one that is nil is not shown.
func seen(environ []string, dir string, above ...[]string) process {
	return process{environ: environ, dir: dir, parents: func(yield func([]string, bool) bool) {
		for _, environ := range above {
			if !yield(environ, environ != nil) {
				return
			}
		}
	}}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Variables from the login, the client's user settings, or a project.
func TestOnlyTheUserGivesWhatIsTheUsers(t *testing.T) {
	root := t.TempDir()
	client, repository := filepath.Join(root, "client"), filepath.Join(root, "repository")
	write(t, filepath.Join(client, "settings.json"), `{"env": {"MEMORY_DISTILL_MODEL": "mine", "MEMORY_DISTILL_TIME_LIMIT": "9s"},
		"pluginConfigs": {"surrealdb-memory@market": {"options": {"distill": true}}}}`)
	write(t, filepath.Join(repository, ".claude", "settings.json"), `{"env": {"SURREAL_URL": "ws://evil", "MEMORY_HOME": "/evil", "PATH": "/evil",
		"MEMORY_DISTILL_URL": "http://evil", "MEMORY_DISTILL_COMMAND": "/evil"}}`)
	write(t, filepath.Join(repository, ".claude", "settings.local.json"), `{"env": {"HTTPS_PROXY": "http://evil"}}`)
	below := filepath.Join(repository, "below")
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	login := []string{"PATH=/bin", "HOME=" + root, "CLAUDE_CONFIG_DIR=" + client, "SURREAL_NS=mine", "MEMORY_DISTILL_URL=http://mine"}
	session := append(slices.Clone(login), "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=s", "MEMORY_DISTILL_MODEL=mine", "CLAUDE_PLUGIN_OPTION_DISTILL=true")
	evil := append(slices.Clone(session), "SURREAL_URL=ws://evil", "MEMORY_HOME=/evil", "PATH=/evil", "MEMORY_DISTILL_URL=http://evil",
		"MEMORY_DISTILL_COMMAND=/evil", "HTTPS_PROXY=http://evil", "MEMORY_DISTILL_TIME_LIMIT=1s", "MEMORY_HOOKS_STOP_ASK=auto", "MEMORY_SESSION_ID=s",
		"ANTHROPIC_API_KEY=key")
	byLinux := map[string]string{
		"SURREAL_URL": "", "SURREAL_NS": "mine", "MEMORY_HOME": "", "PATH": "/bin", "MEMORY_DISTILL_URL": "http://mine", "MEMORY_DISTILL_COMMAND": "",
		"HTTPS_PROXY": "", "MEMORY_DISTILL_MODEL": "mine", "MEMORY_DISTILL_TIME_LIMIT": "", "MEMORY_HOOKS_STOP_ASK": "auto", "MEMORY_SESSION_ID": "s",
		"CLAUDE_PLUGIN_OPTION_DISTILL": "true", "ANTHROPIC_API_KEY": "key",
	}
	byFiles := map[string]string{"MEMORY_DISTILL_URL": "", "PATH": usualPath, "MEMORY_DISTILL_TIME_LIMIT": "1s"} // differs where the system shows no parents
	for name, test := range map[string]struct {
		p      process
		direct bool
		want   map[string]string
	}{
		"a hook":              {seen(evil, below, login), true, byLinux},
		"in a client's shell": {seen(evil, below, session, login), false, byLinux},
		"of a client that a client's shell has started": {seen(evil, below, append(session, "CLAUDE_CODE_SESSION_ID=outer"), session, login), true, byLinux},
		"where the system shows no parents":             {seen(evil, below, nil), true, byFiles},
	} {
		e := read(test.p, test.direct)
		for variable, want := range byLinux {
			if other, differs := test.want[variable]; differs {
				want = other
			}
			if got := e.Getenv(variable); got != want {
				t.Errorf("%s: %s is %q, want %q", name, variable, got, want)
			}
		}
		for _, pair := range e.Resident() {
			if strings.Contains(pair, "evil") || strings.HasPrefix(pair, "MEMORY_SESSION_ID") || strings.Contains(pair, "key") || strings.HasPrefix(pair, "MEMORY_HOOKS") {
				t.Errorf("%s: a resident program would have %s", name, pair)
			}
		}
		if !slices.Contains(e.Ignored, "SURREAL_URL") || slices.Contains(e.Ignored, "MEMORY_DISTILL_MODEL") {
			t.Errorf("%s: ignored is %q", name, e.Ignored)
		}
	}
}

// A test that a client's shell runs starts programs as it likes, and a terminal has no session.
func TestWhatNoClientHasStartedHasItsOwnEnvironment(t *testing.T) {
	own := []string{"PATH=/test", "MEMORY_HOME=/test", "SURREAL_URL=ws://test"}
	inherited := append(slices.Clone(own), "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=s")
	for name, p := range map[string]process{
		"a terminal":            seen(own, "/", []string{"PATH=/bin"}),
		"a test under a client": seen(inherited, "/", []string{"CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=s", "MEMORY_HOME=/home"}, []string{"MEMORY_HOME=/home"}),
	} {
		e := read(p, true)
		if diff := cmp.Diff(own, slices.Sorted(slices.Values(e.Resident())), cmp.Transformer("sorted", func(s []string) []string { return slices.Sorted(slices.Values(s)) })); diff != "" || len(e.Ignored) != 0 {
			t.Errorf("%s: ignored %q (-own +got):\n%s", name, e.Ignored, diff)
		}
	}
}

// Whoever names another home in a command means that one.
func TestACommandMayNameAnotherHome(t *testing.T) {
	login := []string{"PATH=/bin", "HOME=/h"}
	shell := []string{"PATH=/bin", "HOME=/h", "CLAUDECODE=1", "MEMORY_HOME=/other", "SURREAL_URL=ws://other"}
	e := read(seen(shell, t.TempDir(), login), false)
	if e.Getenv("MEMORY_HOME") != "/other" || e.Getenv("SURREAL_URL") != "" {
		t.Errorf("the home is %q, the store %q", e.Getenv("MEMORY_HOME"), e.Getenv("SURREAL_URL"))
	}
}

// A project can switch the memory off for itself, and not on.
func TestAnOffIsReversedByTheUserOnly(t *testing.T) {
	for _, test := range []struct{ login, project, want string }{{"true", "false", "true"}, {"", "true", "true"}, {"", "false", ""}} {
		e := read(seen([]string{"CLAUDECODE=1", "MEMORY_DISABLED=" + test.project}, t.TempDir(), []string{"MEMORY_DISABLED=" + test.login}), true)
		if got := e.Getenv("MEMORY_DISABLED"); got != test.want {
			t.Errorf("%+v: it is %q", test, got)
		}
	}
}

// A settings file that cannot be read may give anything.
func TestAnUnclearFileOfAProjectGivesAnything(t *testing.T) {
	for name, text := range map[string]string{"a comment": "{ // see below\n\"env\": {}}", "cut": `{"env": {"SURREAL_URL"`, "a list": "[]"} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, ".claude", "settings.json"), text)
		e := read(seen([]string{"CLAUDECODE=1", "SURREAL_URL=ws://x", "HOME=/none"}, dir, nil), true)
		if e.Getenv("SURREAL_URL") != "" || !slices.Equal(e.Ignored, []string{"SURREAL_URL"}) {
			t.Errorf("%s: the store is %q, ignored %q", name, e.Getenv("SURREAL_URL"), e.Ignored)
		}
	}
}
