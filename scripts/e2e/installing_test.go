//go:build e2e && linux

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/scripts/npmtest"
)

const (
	fetchLimit  = 90 * time.Second // from the first session until programs and engine are there
	toldLimit   = 45 * time.Second // until a session says what cannot be had; npm waits 5 s in all between its attempts
	releasedFor = "0.1.0"
)

// released is a release of this tree for this platform, behind servers on loopback: its files, the packages of npm, and
// the marketplace as a git repository.
type released struct {
	t      *testing.T
	dir    string
	server *httptest.Server
	npm    *npmtest.Registry
	fault  atomic.Pointer[http.HandlerFunc] // answers in the place of the release's files, if there is one
	market string                           // address of the marketplace's repository
}

// newRelease makes a release of a copy of this tree.
func newRelease(t *testing.T) *released {
	t.Helper()
	source := filepath.Join(t.TempDir(), "source")
	r := &released{t: t, dir: filepath.Join(t.TempDir(), "release")}
	r.npm = must(npmtest.New(t.Context(), filepath.Join(r.dir, "npm")))
	files := http.NewServeMux()
	files.Handle("/release/", http.StripPrefix("/release/", http.HandlerFunc(r.file)))
	files.Handle("/npm/", http.StripPrefix("/npm", r.npm))
	backend := filepath.Join(strings.TrimSpace(string(must(exec.CommandContext(t.Context(), "git", "--exec-path").Output()))), "git-http-backend")
	files.Handle("/market.git/", &cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + r.dir, "GIT_HTTP_EXPORT_ALL=1"}})
	r.server = httptest.NewServer(files)
	t.Cleanup(r.server.Close)
	r.run("../..", "git", "clone", "--quiet", "--no-hardlinks", ".", source)
	r.run(source, "go", "run", "./scripts/release", "--version", releasedFor, "--stamp", "1700000000", "--out", r.dir,
		"--only", runtime.GOOS+"/"+runtime.GOARCH, "--address", r.server.URL+"/release")
	r.publish()
	return r
}

// publish makes the marketplace a repository, once nothing of it changes any more.
func (r *released) publish() {
	r.t.Helper()
	market := filepath.Join(r.dir, "market")
	musttest.Do(r.t, os.Rename(filepath.Join(r.dir, "marketplace"), market))
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

// page is the one that the tests follow.
const page = "../../docs/getting-started.md"

// documented are the blocks of that language in the page.
func documented(t *testing.T, language string, count int) (blocks []string) {
	t.Helper()
	for _, after := range strings.Split(string(must(os.ReadFile(page))), "```"+language+"\n")[1:] {
		block, _, _ := strings.Cut(after, "\n```")
		blocks = append(blocks, block)
	}
	if len(blocks) != count {
		t.Fatalf("%s has %d blocks of %s, and %d are followed", page, len(blocks), language, count)
	}
	return blocks
}

// requireDocumented wants the page to have a command.
func requireDocumented(t *testing.T, command string) {
	t.Helper()
	if !strings.Contains(string(must(os.ReadFile(page))), "`"+command+"`") {
		t.Errorf("%s does not have %q", page, command)
	}
}

// follow installs the plugin by the commands of docs/getting-started.md; only the marketplace is the one on loopback.
func (r *released) follow(t *testing.T, u *User) {
	t.Helper()
	for line := range strings.Lines(documented(t, "sh", 4)[0]) {
		words := strings.Fields(strings.Replace(line, " surrealdb-memory/surrealdb-memory", " "+r.market, 1))
		if words[0] != "claude" {
			t.Fatalf("docs/getting-started.md installs by %q, want commands of the client", line)
		}
		requireDone(t, u.Claude(t.Context(), words[1:]...))
	}
}

// file answers with a file of the release, or with the fault.
func (r *released) file(w http.ResponseWriter, request *http.Request) {
	if fault := r.fault.Load(); fault != nil {
		(*fault)(w, request)
		return
	}
	http.ServeFile(w, request, filepath.Join(r.dir, filepath.Base(request.URL.Path)))
}

// bare is a PATH with the core utilities, a shell and git.
func bare(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, tool := range strings.Fields("sh bash cat chmod cut date mkdir mv ln rm rmdir ls tail head tr uname sha256sum sync wc sleep env df readlink dirname basename nohup true git") {
		musttest.Do(t, os.Symlink(must(exec.LookPath(tool)), filepath.Join(dir, tool)))
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

// requireRemembered runs a session that states a fact, and requires it in the next one.
func requireRemembered(t *testing.T, u *User, api *FakeAPI) {
	t.Helper()
	said := installed(u, documented(t, "text", 1)[0])
	requireGoodRun(t, said, "SessionStart:startup", "UserPromptSubmit", "Stop", "SessionEnd:other")
	requireGiven(t, u, api, "port 6543")
}

// requireGiven wants one of the next sessions to be given a fact.
func requireGiven(t *testing.T, u *User, api *FakeAPI, fact string) {
	t.Helper()
	deadline := time.Now().Add(fetchLimit)
	for n := 1; ; n++ {
		prompt := fmt.Sprintf("Hello for the time number %d.", n)
		requireGoodRun(t, installed(u, prompt))
		if strings.Contains(string(must(json.Marshal(api.RequestsWith(prompt)[0]))), fact) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("no session was given what the first one stated")
		}
	}
}

// TestInstalling follows a user who has the client: from the marketplace to a session that gets a fact of an earlier
// one, by the commands of docs/getting-started.md.
func TestInstalling(t *testing.T) {
	r := newRelease(t)
	t.Run("with Node", func(t *testing.T) { installWithNode(t, r) })
	t.Run("with a past", func(t *testing.T) { installWithPast(t, r) })
	t.Run("with nothing but git", func(t *testing.T) { installWithGit(t, r) })
	t.Run("with Node and no registry", func(t *testing.T) { installWithoutRegistry(t, r) })
	t.Run("with faults", func(t *testing.T) { installWithFaults(t, r) })
	t.Run("from an archive", func(t *testing.T) { installFromArchive(t, r) })
	t.Run("with npx", func(t *testing.T) { runWithNpx(t, r) })
}

// mostDownloaded is the limit for programs and engine, in bytes.
const mostDownloaded = 25_000_000 + 10<<20

// withNpm is a user whose npm asks the release's registry, and has asked none before.
func withNpm(t *testing.T, r *released) (*User, *FakeAPI) {
	t.Helper()
	return newcomer(t, "npm_config_registry="+r.server.URL+"/npm/", "npm_config_cache="+t.TempDir(), "npm_config_fetch_retries=0",
		"MEMORY_ENGINE_DIR="+filepath.Join(t.TempDir(), "engine"))
}

func installWithNode(t *testing.T, r *released) {
	u, api := withNpm(t, r)
	requireDone(t, u.Claude(t.Context(), "plugin", "validate", filepath.Join(r.dir, "market"), "--strict"))
	before, began := r.npm.Served.Load(), time.Now()
	r.follow(t, u)
	t.Logf("installed after %s", time.Since(began).Round(time.Millisecond))
	if found := inPlugin(u, "node_modules/@*/*/complete"); len(found) != 1 {
		t.Fatalf("npm has installed the programs of %d platforms: %q", len(found), found)
	}
	u.Plugin = inPlugin(u, "")[0]
	requireRemembered(t, u, api)
	if got := r.npm.Served.Load() - before; got > mostDownloaded {
		t.Errorf("%d bytes were downloaded, want at most %d", got, mostDownloaded)
	} else {
		t.Logf("%d bytes were downloaded", got)
	}
	followRest(t, u)
}

const (
	pastSessions = 40
	firstUse     = time.Minute // from the first command until a session gets a fact of an old one
)

// installWithPast: setup reads the sessions from before the installation, and the first session afterwards knows of
// them.
func installWithPast(t *testing.T, r *released) {
	u, api := withNpm(t, r)
	folder := filepath.Join(u.Config, importer.MemoryFile(u.Project), "..", "..")
	musttest.Do(t, os.MkdirAll(folder, 0o700))
	for n := range pastSessions {
		id, at := fmt.Sprintf("00000000-0000-4000-8000-%012d", n), time.Now().AddDate(0, 0, -n-1).UTC()
		var lines []byte
		for i, said := range []string{fmt.Sprintf("Remember: service %d listens on port %d.", n, 7000+n), "Noted."} {
			role := []string{"user", "assistant"}[i]
			lines = append(append(lines, must(json.Marshal(map[string]any{
				"type": role, "uuid": fmt.Sprint(id, i), "sessionId": id, "cwd": u.Project, "timestamp": at.Add(time.Duration(i) * time.Second),
				"message": map[string]any{"role": role, "content": said},
			}))...), '\n')
		}
		musttest.Do(t, os.WriteFile(filepath.Join(folder, id+".jsonl"), lines, 0o600))
	}
	began := time.Now()
	r.follow(t, u)
	u.Plugin = inPlugin(u, "")[0]
	requireDocumented(t, "memory setup")
	ctx, cancel := context.WithTimeout(t.Context(), fetchLimit)
	defer cancel()
	setup := exec.CommandContext(ctx, filepath.Join(u.Plugin, "bin", "memory"), "setup", "--yes", "--distill", "no", "--codex", "no")
	setup.Dir, setup.Env = u.Project, u.environment()
	output, err := setup.CombinedOutput()
	for _, want := range []string{"40 prompts", "of 40 sessions", "\nReady: ", "distillation is off: "} {
		if err != nil || !strings.Contains(string(output), want) {
			t.Fatalf("setup ends with %v and does not say %q:\n%s", err, want, output)
		}
	}
	const question = "Which port does service 7 listen on?"
	requireGoodRun(t, installed(u, question), "SessionStart:startup", "UserPromptSubmit")
	if told := string(must(json.Marshal(api.RequestsWith(question)[0]))); !strings.Contains(told, "port 7007") {
		t.Errorf("the first session is not told what an old one stated:\n%s\n%.3000s", output, told)
	}
	if took := time.Since(began); took > firstUse {
		t.Errorf("that took %s, and %s are asked", took.Round(time.Second), firstUse)
	} else {
		t.Logf("the first useful memory after %s", took.Round(10*time.Millisecond))
	}
}

// followRest follows the page's instructions on checking, updating and removing.
func followRest(t *testing.T, u *User) {
	t.Helper()
	programs := t.TempDir()
	for name, script := range map[string]string{
		"claude": fmt.Sprintf("#!/bin/sh\nexec %q \"$@\"\n", u.Binary),
	} {
		musttest.Do(t, plugintest.WriteProgram(filepath.Join(programs, name), []byte(script)))
	}
	run := func(line string) string {
		ctx, cancel := context.WithTimeout(t.Context(), fetchLimit)
		defer cancel()
		shell := exec.CommandContext(ctx, "sh", "-c", line)
		shell.Dir = u.Project
		shell.Env = append(u.environment(), "PATH="+programs+":"+filepath.Join(u.Plugin, "bin")+":"+os.Getenv("PATH"), "XDG_CONFIG_HOME="+filepath.Join(u.Home, ".config"))
		output, err := shell.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", line, err, output)
		}
		return string(output)
	}
	requireDocumented(t, "memory doctor")
	requireDocumented(t, "memory setup link")
	run("memory setup link")
	run("memory doctor")
	blocks := documented(t, "sh", 4)
	if said := run(blocks[1]); !strings.Contains(said, "6543") || !strings.Contains(said, "ready") {
		t.Errorf("%s: %s", blocks[1], said)
	}
	known := u.daemonProcesses()
	for line := range strings.Lines(blocks[2] + "\n" + blocks[3]) {
		if line = strings.TrimSpace(line); line == "memory setup uninstall" {
			line += " --yes" // it asks, and a test has no terminal
		}
		run(line)
	}
	await(t, uninstallLimit, "daemon and engine to end", func() bool { return !slices.ContainsFunc(known, alive) })
	u.stopped = true
}

// installWithoutRegistry: npm reaches nothing, when the plugin is installed and when its first session needs an engine.
func installWithoutRegistry(t *testing.T, r *released) {
	u, api := withNpm(t, r)
	r.npm.IsDown.Store(true)
	defer r.npm.IsDown.Store(false)
	r.follow(t, u)
	u.Plugin = inPlugin(u, "")[0]
	if said := shownToUser(t, installed(u, "Hello.")); !strings.Contains(said, "programs and database are being downloaded") {
		t.Errorf("the first session says %q", said)
	}
	await(t, fetchLimit, "the programs", func() bool { return len(inPlugin(u, "programs/*/complete")) == 1 })
	installed(u, "Hello again.")
	requireSaid(t, u, "the database engine could not be installed", "the engine's registry to be missed")
	r.npm.IsDown.Store(false)
	requireRemembered(t, u, api)
}

// requireSaid waits until sessions show a message, and requires that doctor reports it, as an error or as a retried
// problem.
func requireSaid(t *testing.T, u *User, want, problem string) {
	t.Helper()
	said, began := "", time.Now()
	await(t, toldLimit, problem, func() bool {
		said = shownToUser(t, installed(u, "And now?"))
		return strings.Contains(said, want)
	})
	doctor := exec.CommandContext(t.Context(), filepath.Join(u.Plugin, "bin", "memory"), "doctor")
	doctor.Dir, doctor.Env = u.Project, u.environment()
	output, err := doctor.CombinedOutput()
	if err == nil && !strings.Contains(string(output), "warning  daemon ") {
		t.Errorf("a session says %q, and memory doctor finds nothing wrong: %s", said, output)
	}
	t.Logf("told after %s: %s", time.Since(began).Round(time.Second), said)
}

// installWithFaults: the release's files cannot be had, or not whole, or not stored; then they can.
func installWithFaults(t *testing.T, r *released) {
	u, api := bareUser(t, r)
	defer r.fault.Store(nil)
	half := func(w http.ResponseWriter, request *http.Request) {
		content := must(os.ReadFile(filepath.Join(r.dir, filepath.Base(request.URL.Path))))
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write(content[:len(content)/2])
	}
	r.follow(t, u)
	u.Plugin = inPlugin(u, "")[0]
	for _, test := range []struct {
		name, want string
		fault      http.HandlerFunc
	}{
		{"the address does not answer", "cannot be downloaded", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusServiceUnavailable) }},
		{"the download is cut at half", "cannot be downloaded", half},
		{"the hash is wrong", "It was not used", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("#!/bin/sh\nexit 0\n")) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			r.fault.Store(&test.fault)
			_ = os.Remove(filepath.Join(u.Plugin, "programs", "failed"))
			requireSaid(t, u, test.want, "a session to say why there are no programs")
			requireNothing(t, u)
		})
	}
	r.fault.Store(nil)
	t.Run("the disk is full", func(t *testing.T) { installOnFullDisk(t, u) })
	installed(u, "Once more.")
	await(t, fetchLimit, "the programs", func() bool { return len(inPlugin(u, "programs/*/complete")) == 1 })
	requireRemembered(t, u, api)
}

// requireNothing wants no part of a download to be left where programs are looked for.
func requireNothing(t *testing.T, u *User) {
	t.Helper()
	if left := inPlugin(u, "programs/*-*"); len(left) > 0 {
		t.Errorf("half installed: %q", left)
	}
}

// installOnFullDisk has the programs downloaded to a file system of 4 MB.
func installOnFullDisk(t *testing.T, u *User) {
	disk := filepath.Join(u.Plugin, "programs")
	await(t, fetchLimit, "nothing to be fetched", func() bool { return len(inPlugin(u, "programs/.fetching")) == 0 })
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "mode=0700,size=4m"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	defer func() {
		await(t, fetchLimit, "nothing to be fetched", func() bool { return len(inPlugin(u, "programs/.fetching")) == 0 })
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	}()
	requireSaid(t, u, "the disk is full", "a session to say that the disk is full")
	requireNothing(t, u)
}

// mostBare is mostDownloaded with Node.js, without the programs: they come from the release itself.
const mostBare = 10<<20 + 52_000_000

// bareUser has the client and git, and neither Node.js nor npm.
func bareUser(t *testing.T, r *released) (*User, *FakeAPI) {
	t.Helper()
	return newcomer(t, "PATH="+bare(t), "MEMORY_ENGINE_DIR="+filepath.Join(t.TempDir(), "engine"), "npm_config_registry="+r.server.URL+"/npm/")
}

// installWithGit: the fact that the very first session states, before anything is downloaded, is given to a later one.
func installWithGit(t *testing.T, r *released) {
	u, api := bareUser(t, r)
	r.follow(t, u)
	u.Plugin = inPlugin(u, "")[0]
	before, began := r.npm.Served.Load(), time.Now()
	first := installed(u, documented(t, "text", 1)[0])
	if output := string(must(os.ReadFile(first.Stdout))); first.ExitCode != 0 || !strings.Contains(output, "database are being downloaded (once, about 80 MB); what happens meanwhile is kept") {
		t.Errorf("the first session exits with %d and does not say that its programs are being downloaded: %.2000s", first.ExitCode, output)
	}
	requireGiven(t, u, api, "port 6543")
	t.Logf("given after %s, %d bytes from npm", time.Since(began).Round(time.Millisecond), r.npm.Served.Load()-before)
	if got := r.npm.Served.Load() - before; got > mostBare {
		t.Errorf("%d bytes were downloaded from npm, want at most %d", got, mostBare)
	}
	if took := time.Since(began); took > firstUse {
		t.Errorf("that took %s, and %s are asked", took.Round(time.Second), firstUse)
	}
}

func installFromArchive(t *testing.T, r *released) {
	u, api := withNpm(t, r)
	archive := fmt.Sprintf("surrealdb-memory_%s_%s_%s.tar.gz", releasedFor, runtime.GOOS, runtime.GOARCH)
	r.run(u.Project, "tar", "-xzf", filepath.Join(r.dir, archive))
	const command = "claude plugin marketplace add ./surrealdb-memory-VERSION"
	requireDocumented(t, command)
	requireDone(t, u.Claude(t.Context(), strings.Fields(strings.Replace(command, "VERSION", releasedFor, 1))[1:]...))
	requireDone(t, u.Claude(t.Context(), "plugin", "install", pluginID))
	u.Plugin = filepath.Join(u.Project, "surrealdb-memory-"+releasedFor, "plugin")
	requireRemembered(t, u, api)
}

func runWithNpx(t *testing.T, r *released) {
	u, _ := withNpm(t, r)
	const command = "npx surrealdb-memory status"
	requireDocumented(t, command)
	ctx, cancel := context.WithTimeout(t.Context(), fetchLimit)
	defer cancel()
	before := r.npm.Served.Load()
	npx := exec.CommandContext(ctx, "sh", "-c", command)
	npx.Dir, npx.Env = u.Project, u.environment()
	if output, err := npx.CombinedOutput(); err != nil || !strings.Contains(string(output), u.MemoryHome) {
		t.Errorf("%s: %v: %s", command, err, output)
	}
	if got := r.npm.Served.Load() - before; got > mostDownloaded-10<<20 {
		t.Errorf("%s downloads %d bytes, which are the programs of more than one platform", command, got)
	}
}

// inPlugin are the files of the installed plugin that match a pattern.
func inPlugin(u *User, pattern string) []string {
	return must(filepath.Glob(filepath.Join(u.Config, "plugins", "cache", "*", "*", "*", filepath.FromSlash(pattern))))
}
