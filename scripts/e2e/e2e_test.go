//go:build e2e

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestMain(m *testing.M) {
	if os.Getenv(serverVariable) != "" {
		serveOther()
		return
	}
	for _, dir := range []string{currentClient, olderClient} {
		if err := installClient(dir); err != nil {
			fmt.Fprintf(os.Stderr, "e2e: skipped: %v\n", err)
			if os.Getenv("CI") != "" {
				os.Exit(1) // a pipeline that tested nothing is not green
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// installClient fetches the client that the package-lock.json in dir pins, unless it is there.
func installClient(dir string) error {
	return install(dir, func() error {
		_, err := clientIn(dir)
		return err
	})
}

// installing is held by the one test that fetches something.
var installing sync.Mutex

// install installs the packages that the package-lock.json in dir pins, unless find finds them.
func install(dir string, find func() error) error {
	installing.Lock()
	defer installing.Unlock()
	missing := find()
	if missing == nil {
		return nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("%w; there is no npm to do it: %w", missing, err)
	}
	// The native binary needs neither the package's install script nor the Node version that it asks for.
	install := exec.Command(npm, "ci", "--ignore-scripts", "--engine-strict=false", "--no-audit", "--no-fund")
	install.Dir = dir
	if output, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci in scripts/e2e/%s: %w\n%s", dir, err, output)
	}
	return find()
}

// requirePlugin stops the test if the plugin was not built; otherwise its hooks would fail one by one with less
// information.
func requirePlugin(t *testing.T) {
	t.Helper()
	for _, file := range []string{"hooks/hooks.json", "bin/memory", "libexec/memoryd"} {
		if _, err := os.Stat(filepath.Join(PluginDir(), file)); err != nil {
			t.Fatalf("the plugin is not built, run make build: %v", err)
		}
	}
}

func TestPluginLoads(t *testing.T) {
	requirePlugin(t)
	u := NewUser(t, NewFakeAPI(t))
	got := u.Claude(t.Context(), "plugin", "validate", u.Plugin, "--strict")
	report, err := os.ReadFile(got.Stdout)
	if err != nil || got.ExitCode != 0 {
		t.Errorf("claude plugin validate --strict exited with %d: %s (%v)", got.ExitCode, report, err)
	}
	if text := string(report); strings.Contains(text, "ICON_MISSING") || !strings.Contains(text, "registry.npmjs.org (declared)") {
		t.Errorf("the plugin directory wants an icon and the hosts that are reached:\n%s", text)
	}
}

// TestTwoSessions is the product's promise: statements, failures and changes of one session reach the model when the
// same user opens the next one in the same project.
func TestTwoSessions(t *testing.T) {
	t.Parallel()
	requirePlugin(t)
	api := NewFakeAPI(t)
	u := NewUser(t, api)
	u.Write("Makefile", "deploy:\n\t@echo 'quota of the staging cluster is used up' >&2; exit 2\ntest:\n\t@echo 'all 12 checks passed'\n")
	u.Write("rollout.sh", "#!/bin/sh\nreplicas=1\n")

	script, notes := filepath.Join(u.Project, "rollout.sh"), filepath.Join(u.Project, "runbook.md")
	api.Script("work",
		Step{Content: []Block{
			Text("I will write it down first, and look at the script."),
			ToolUse("Write", map[string]any{"file_path": notes, "content": "# How to deploy\n"}),
			ToolUse("Read", map[string]any{"file_path": script}),
		}},
		Call("Edit", map[string]any{"file_path": script, "old_string": "replicas=1", "new_string": "replicas=3"}),
		Call("Bash", map[string]any{"command": "make deploy", "description": "Deploy to staging"}),
		Call("Bash", map[string]any{"command": "make test", "description": "Run the checks"}),
		Say("The script is changed; the deployment failed."),
	)
	first := u.Run(t.Context(), "Remember: the staging database listens on port 6543. SCRIPT:work", "--allowedTools", "Bash,Write,Edit,Read")
	requireGoodRun(t, first, "SessionStart:startup", "UserPromptSubmit", "PostToolUse:Write", "PostToolUse:Edit",
		"PostToolUse:Bash", "PostToolUseFailure:Bash", "SessionEnd:other")
	if made, err := os.ReadFile(script); err != nil || !bytes.Contains(made, []byte("replicas=3")) {
		t.Fatalf("the scripted tools did not run: %q, %v", made, err)
	}

	const question = "Where were we?"
	second := u.Run(t.Context(), question)
	requireGoodRun(t, second, "SessionStart:startup", "UserPromptSubmit", "SessionEnd:other")
	if second.SessionID == first.SessionID {
		t.Errorf("both runs were session %s", first.SessionID)
	}
	requests := api.RequestsWith(question)
	if len(requests) == 0 {
		t.Fatal("the second session sent its prompt to no model")
	}
	requireRecalled(t, requests[0], map[string]string{
		"what the user said": "6543",
		"what failed":        "quota of the staging cluster is used up",
		"what was edited":    "rollout.sh",
		"what was written":   "runbook.md",
	})

	u.StopDaemon()
	requireNowhere(t, u.MemoryHome, DummyKey)
	t.Logf("sessions took %v and %v", first.Elapsed, second.Elapsed)
}

// requireGoodRun wants the client to have ended well, every hook too, and these hooks to be among those that ran.
func requireGoodRun(t *testing.T, run Result, hooks ...string) {
	t.Helper()
	musttest.Same(t, 0, run.ExitCode, "the client's exit code")
	for _, hook := range run.FailedHooks() {
		t.Errorf("hook failed: %+v", hook)
	}
	for _, name := range hooks {
		if !slices.Contains(run.HookNames(), name) {
			t.Errorf("hook %s did not run; these did: %q", name, run.HookNames())
		}
	}
}

// requireRecalled wants every fact to be in a memory block, and only once in all of them.
func requireRecalled(t *testing.T, request Request, facts map[string]string) {
	t.Helper()
	recalled := strings.Join(request.MemoryBlocks(), "\n")
	for what, fact := range facts {
		musttest.Same(t, 1, strings.Count(recalled, fact), "how often %s (%q) reached the model in memory blocks", what, fact)
	}
	if t.Failed() {
		t.Logf("the memory blocks were:\n%s", recalled)
	}
}

// requireNowhere wants no file below dir to hold the text, and at least one file to have been looked at.
func requireNowhere(t *testing.T, dir, text string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		files++
		if bytes.Contains(content, []byte(text)) {
			t.Errorf("%s holds %q", path, text)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("looked at %d files below %s: %v", files, dir, err)
	}
}
