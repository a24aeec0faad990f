//go:build e2e && unix

package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

const (
	fetchLimit  = 90 * time.Second // from the first session until programs and engine are there
	releasedFor = "0.1.0"
)

// released is a release of this tree for this platform, behind servers on loopback: its files, the packages of npm, and the
// marketplace as a git repository.
type released struct {
	t      *testing.T
	dir    string
	server *httptest.Server
	market string // address of the marketplace's repository
	engine []byte // what stands in for the official build of SurrealDB
}

// newRelease makes a release of a copy of this tree, which names a stand-in for the official build of SurrealDB.
func newRelease(t *testing.T) *released {
	t.Helper()
	source := filepath.Join(t.TempDir(), "source")
	r := &released{t: t, dir: filepath.Join(t.TempDir(), "release")}
	files := http.NewServeMux()
	files.Handle("/release/", http.StripPrefix("/release/", http.FileServer(http.Dir(r.dir))))
	files.Handle("/npm/", http.StripPrefix("/npm/", http.HandlerFunc(r.npm)))
	files.HandleFunc("/surreal/", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(r.engine) })
	backend := filepath.Join(strings.TrimSpace(string(must(exec.CommandContext(t.Context(), "git", "--exec-path").Output()))), "git-http-backend")
	files.Handle("/market.git/", &cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + r.dir, "GIT_HTTP_EXPORT_ALL=1"}})
	r.server = httptest.NewServer(files)
	t.Cleanup(r.server.Close)
	r.run("../..", "git", "clone", "--quiet", "--no-hardlinks", ".", source)
	r.pinEngine(source)
	r.run(source, "go", "run", "./scripts/release", "--version", releasedFor, "--stamp", "1700000000", "--out", r.dir,
		"--only", runtime.GOOS+"/"+runtime.GOARCH, "--address", r.server.URL+"/release")
	r.publish()
	return r
}

// publish makes the marketplace a repository, once nothing of it changes any more.
func (r *released) publish() {
	r.t.Helper()
	market := filepath.Join(r.dir, "market")
	if err := os.Rename(filepath.Join(r.dir, "marketplace"), market); err != nil {
		r.t.Fatal(err)
	}
	r.run(market, "git", "init", "--quiet", "--initial-branch=main")
	r.run(market, "git", "add", "--all")
	r.run(market, "git", "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "--quiet", "-m", "release")
	r.run(r.dir, "git", "clone", "--quiet", "--bare", "market", "market.git")
	r.market = r.server.URL + "/market.git"
}

func (r *released) run(dir, name string, args ...string) {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), name, args...)
	cmd.Dir = dir
	if output, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("%s %q: %v\n%s", name, args, err, output)
	}
}

// documented is the first block of that language in docs/getting-started.md.
func documented(t *testing.T, language string) string {
	t.Helper()
	_, after, found := strings.Cut(string(must(os.ReadFile("../../docs/getting-started.md"))), "```"+language+"\n")
	block, _, ended := strings.Cut(after, "\n```")
	if !found || !ended {
		t.Fatalf("docs/getting-started.md has no block of %s", language)
	}
	return block
}

// follow installs the plugin by the commands of docs/getting-started.md; only the marketplace is the one on loopback.
func (r *released) follow(t *testing.T, u *User) {
	t.Helper()
	for line := range strings.Lines(documented(t, "sh")) {
		words := strings.Fields(strings.Replace(line, " surrealdb-memory/surrealdb-memory", " "+r.market, 1))
		if words[0] != "claude" {
			t.Fatalf("docs/getting-started.md installs by %q, want commands of the client", line)
		}
		requireDone(t, u.Claude(t.Context(), words[1:]...))
	}
}

// npm is a registry: @scope/name/-/name-version.tgz.
func (r *released) npm(w http.ResponseWriter, request *http.Request) {
	name := strings.TrimSuffix(path.Base(request.URL.Path), "-"+releasedFor+".tgz")
	http.ServeFile(w, request, filepath.Join(r.dir, "npm", "surrealdb-memory-"+name+"-"+releasedFor+".tgz"))
}

// pinEngine has the release name a stand-in for the official build of SurrealDB: a script that starts the embedded one by its
// full path, so that nothing of Node.js is on the PATH.
func (r *released) pinEngine(source string) {
	r.t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		r.t.Fatal(err)
	}
	packages := os.Getenv("MEMORY_ENGINE_DIR")
	script := fmt.Sprintf(`#!/bin/sh
case $1 in version) echo 3.0.2; exit ;; esac
for data; do :; done
case $data in rocksdb:///dev/null/*) exit 1 ;; esac
while [ "$1" != --bind ]; do shift; done
secret=${data#rocksdb://}.stand-in
umask 077
printf '{"user":"%%s","pass":"%%s"}' "$SURREAL_USER" "$SURREAL_PASS" >"$secret"
exec %q %q --data "$data" --secret-file "$secret" --port "${2##*:}"
`, node, filepath.Join(packages, "server.mjs"))
	r.engine = []byte(script)
	sum := sha256.Sum256([]byte(script))
	pins := must(json.Marshal(map[string]any{
		"version": "3.0.2", "address": r.server.URL + "/surreal",
		"files": map[string]any{runtime.GOOS + "/" + runtime.GOARCH: map[string]any{"name": "surreal", "bytes": len(script), "sha256": hex.EncodeToString(sum[:])}},
	}))
	if err := os.WriteFile(filepath.Join(source, "plugin", "engine", "surreal.json"), pins, 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// bare is a PATH with the core utilities, a shell and git.
func bare(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, tool := range strings.Fields("sh bash cat chmod cut date mkdir mv ln rm ls tail head tr uname sha256sum sync wc sleep env readlink dirname basename nohup true git") {
		if err := os.Symlink(must(exec.LookPath(tool)), filepath.Join(dir, tool)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// newcomer has nothing but the client.
func newcomer(t *testing.T, env ...string) (*User, *FakeAPI) {
	t.Helper()
	api := NewFakeAPI(t)
	u := NewUser(t, api)
	u.Env = append(u.Env, env...)
	return u, api
}

// requireRemembered has a session state a fact, and the next one be told it.
func requireRemembered(t *testing.T, u *User, api *FakeAPI) {
	t.Helper()
	said := installed(u, documented(t, "text"))
	requireGoodRun(t, said, "SessionStart:startup", "UserPromptSubmit", "Stop", "SessionEnd:other")
	deadline := time.Now().Add(fetchLimit)
	for n := 1; ; n++ {
		prompt := fmt.Sprintf("Hello for the time number %d.", n)
		requireGoodRun(t, installed(u, prompt), "SessionStart:startup")
		if strings.Contains(string(must(json.Marshal(api.RequestsWith(prompt)[0]))), "port 6543") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("no session was told what the first one stated")
		}
	}
}

// TestInstalling is the way of a user who has the client: from the marketplace to a session that is told what an earlier one
// stated, by the commands of docs/getting-started.md.
func TestInstalling(t *testing.T) {
	r := newRelease(t)
	t.Run("with Node", func(t *testing.T) { installWithNode(t, r) })
	t.Run("with nothing but git", func(t *testing.T) { installWithGit(t, r) })
}

func installWithNode(t *testing.T, r *released) {
	u, api := newcomer(t, "npm_config_registry="+r.server.URL+"/npm/")
	began := time.Now()
	r.follow(t, u)
	t.Logf("installed after %s", time.Since(began).Round(time.Millisecond))
	if found := inPlugin(u, "node_modules/@*/*/complete"); len(found) != 1 {
		t.Fatalf("npm has installed the programs of %d platforms: %q", len(found), found)
	}
	u.Plugin = inPlugin(u, "")[0]
	requireRemembered(t, u, api)
}

func installWithGit(t *testing.T, r *released) {
	u, api := newcomer(t, "PATH="+bare(t), "MEMORY_ENGINE_DIR="+filepath.Join(t.TempDir(), "engine"))
	r.follow(t, u)
	u.Plugin = inPlugin(u, "")[0]
	first := installed(u, "Hello.")
	if output := string(must(os.ReadFile(first.Stdout))); first.ExitCode != 0 || !strings.Contains(output, "programs are being downloaded") {
		t.Errorf("the first session exits with %d and does not say that its programs are being downloaded: %.2000s", first.ExitCode, output)
	}
	began := time.Now()
	await(t, fetchLimit, "the programs", func() bool { return len(inPlugin(u, "programs/*/complete")) == 1 })
	t.Logf("fetched after %s", time.Since(began).Round(time.Millisecond))
	requireRemembered(t, u, api)
}

// inPlugin are the files of the installed plugin that match a pattern.
func inPlugin(u *User, pattern string) []string {
	return must(filepath.Glob(filepath.Join(u.Config, "plugins", "cache", "*", "*", "*", filepath.FromSlash(pattern))))
}
