package consent_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/consent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// place is a user's home directory and a repository, apart from each other.
type place struct{ home, repo, sub string }

func newPlace(t *testing.T) place {
	t.Helper()
	base := t.TempDir()
	p := place{filepath.Join(base, "user"), filepath.Join(base, "src", "repo"), filepath.Join(base, "src", "repo", "sub")}
	for _, dir := range []string{p.home, p.sub, filepath.Join(p.repo, ".git", "objects"), filepath.Join(p.repo, ".git", "refs"), filepath.Join(p.sub, ".claude"), filepath.Join(p.repo, ".claude")} {
		musttest.Do(t, os.MkdirAll(dir, 0o700))
	}
	write(t, filepath.Join(p.repo, ".git", "HEAD"), "ref: refs/heads/main\n")
	musttest.Do(t, os.Symlink(p.repo, filepath.Join(base, "link")))
	return p
}

func write(t *testing.T, file, text string) {
	t.Helper()
	musttest.Do(t, os.WriteFile(file, []byte(text), 0o600))
}

func (p place) where(t *testing.T) project.Project {
	t.Helper()
	return musttest.Get(project.Identify(p.sub))(t)
}

func getenv(env map[string]string) func(string) string {
	return func(name string) string { return env[name] }
}

func TestAHomeIsNoProjects(t *testing.T) {
	p := newPlace(t)
	linked := filepath.Join(filepath.Dir(p.home), "link")
	for name, c := range map[string]struct {
		env     map[string]string
		refused bool
	}{
		"the default":                      {map[string]string{}, false},
		"another one":                      {map[string]string{"MEMORY_HOME": filepath.Join(p.home, "memory")}, false},
		"beside the repository":            {map[string]string{"MEMORY_HOME": p.repo + "-memory"}, false},
		"in it":                            {map[string]string{"MEMORY_HOME": filepath.Join(p.repo, "memory")}, true},
		"in it, beside the session's":      {map[string]string{"MEMORY_HOME": filepath.Join(p.repo, "other", "deep")}, true},
		"itself":                           {map[string]string{"MEMORY_HOME": p.repo}, true},
		"by a link":                        {map[string]string{"MEMORY_HOME": filepath.Join(linked, "memory")}, true},
		"by the client's folder":           {map[string]string{"CLAUDE_CONFIG_DIR": filepath.Join(p.repo, ".claude")}, true},
		"the client's folder alone":        {map[string]string{"CLAUDE_CONFIG_DIR": filepath.Join(p.repo, ".claude"), "MEMORY_HOME": filepath.Join(p.home, "memory")}, true},
		"by the home directory":            {map[string]string{"HOME": p.sub}, true},
		"by the folder of a running login": {map[string]string{"XDG_RUNTIME_DIR": p.sub}, true},
	} {
		env := map[string]string{"HOME": p.home}
		for key, value := range c.env {
			env[key] = value
		}
		err := consent.CheckHome(paths.FromEnv(getenv(env)), getenv(env), p.where(t))
		musttest.Same(t, c.refused, errors.Is(err, consent.ErrHome), "%s: %v", name, err)
	}
}

func TestAProjectDoesNotNameTheHome(t *testing.T) {
	for text, refused := range map[string]bool{
		`{"env":{"MEMORY_HOME":"/elsewhere"}}`: true, `{"env":{"CLAUDE_CONFIG_DIR":"/elsewhere"}}`: true, `{"env":{"HOME":"/elsewhere"}}`: true,
		`{"env":{"EDITOR":"vi"}}`: false, `{}`: false, `{"env":[]}`: false, `no JSON`: true,
	} {
		for _, file := range []string{"sub/.claude/settings.json", "sub/.claude/settings.local.json", ".claude/settings.json"} {
			p := newPlace(t)
			write(t, filepath.Join(p.repo, file), text)
			env := getenv(map[string]string{"HOME": p.home, "MEMORY_HOME": filepath.Join(filepath.Dir(p.home), "elsewhere")})
			musttest.Same(t, refused, errors.Is(consent.CheckHome(paths.FromEnv(env), env, p.where(t)), consent.ErrHome), "%s with %s", file, text)
		}
	}
}

// What outlives a session gets nothing of it that chooses a receiver or a program.
func TestNothingOfASessionIsHandedOn(t *testing.T) {
	p := newPlace(t)
	engine := filepath.Join(p.home, "engine")
	musttest.Do(t, os.Mkdir(engine, 0o700))
	keep := []string{"HOME=" + p.home, "LANG=C.UTF-8", "LC_TIME=C", "MEMORY_HOME=/m", "SURREAL_PASS=p", "MEMORY_DISTILL_KEY=k", "MEMORY_ENGINE_DIR=" + engine, "npm_config_registry=http://127.0.0.1:9/"}
	drop := []string{
		"ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL=http://x", "MEMORY_DISTILL_URL=http://x", "MEMORY_DISTILL_ENABLED=true", "MEMORY_DISTILL_COMMAND=/x",
		"SURREAL_URL=ws://x", "SURREAL_USER=u", "MEMORY_BACKUP_DIRECTORY=/x", "MEMORY_DAEMON_BATCH_SIZE=1", "HTTPS_PROXY=http://x", "http_proxy=http://x",
		"NODE_EXTRA_CA_CERTS=/x", "SSL_CERT_FILE=/x", "NODE_OPTIONS=--require /x", "npm_config_userconfig=/x", "MEMORY_HOOKS_NOTICES=false", "MEMORY_SESSION_ID=s",
		"MEMORY_DISABLED=true", "LD_PRELOAD=/x",
	}
	path := []string{"/usr/bin", filepath.Join(p.repo, "bin"), ".", "bin", filepath.Join(filepath.Dir(p.home), "link"), p.home}
	got := consent.SafeEnvironment(slices.Concat(keep, drop, []string{"PATH=" + strings.Join(path, ":")}), p.where(t))
	if want := append(keep, "PATH=/usr/bin:"+p.home); !slices.Equal(got, want) {
		t.Errorf("handed on are %q, want %q", got, want)
	}
	musttest.Same(t, []string{"PATH=/usr/bin"}, consent.SafeEnvironment([]string{"PATH=/usr/bin"}, project.Project{Root: "/", Dir: "/"}), "a session above the home directory hands on")
	if got := consent.SafeEnvironment([]string{"PATH=."}, p.where(t)); !strings.Contains(strings.Join(got, ""), "/usr/bin") {
		t.Errorf("without a PATH of its own the daemon has %q", got)
	}
}

func TestAnEngineIsSharedOutsideOfProjectsOnly(t *testing.T) {
	p := newPlace(t)
	open := filepath.Join(p.home, "open")
	musttest.Do(t, os.Mkdir(open, 0o700))
	musttest.Do(t, os.Chmod(open, 0o777))
	handed := func(dir string) bool {
		return slices.ContainsFunc(consent.SafeEnvironment([]string{"HOME=" + p.home, "MEMORY_ENGINE_DIR=" + dir}, p.where(t)),
			func(pair string) bool { return strings.HasPrefix(pair, "MEMORY_ENGINE_DIR=") })
	}
	for dir, want := range map[string]bool{
		filepath.Join(p.home, "not there yet"): true, "~/engine": true, filepath.Join(p.repo, "engine"): false, open: false, "": false,
	} {
		musttest.Same(t, want, handed(dir), "%q is handed on", dir)
	}
	write(t, filepath.Join(p.sub, ".claude", "settings.json"), `{"env":{"MEMORY_ENGINE_DIR":"/x"}}`)
	if handed(filepath.Join(p.home, "engine")) {
		t.Error("a project names the engine")
	}
}
