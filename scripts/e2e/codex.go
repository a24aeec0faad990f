package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// codexClient is the directory in which npm installs the pinned Codex.
const codexClient = "client-codex"

// CodexBinary returns the path of the installed Codex for this machine. It needs no Node.
func CodexBinary() (string, error) {
	for _, found := range must(filepath.Glob(filepath.Join(codexClient, "node_modules", "@openai", "codex-*",
		"vendor", "*", "bin", "codex"))) {
		return filepath.Abs(found)
	}
	return "", fmt.Errorf("the pinned Codex is not installed: run npm ci in scripts/e2e/%s", codexClient)
}

// Codex is the Codex of a User, in the same project.
type Codex struct {
	Home string // CODEX_HOME

	user   *User
	binary string
	path   string // a PATH with codex on it
}

// NewCodex returns a Codex for a user, whose model is api.
func NewCodex(u *User, api *FakeResponses) *Codex {
	u.t.Helper()
	c := &Codex{Home: filepath.Join(u.Home, ".codex"), user: u, binary: must(CodexBinary())}
	c.path = filepath.Dir(c.binary) + string(os.PathListSeparator) + os.Getenv("PATH")
	if err := os.Mkdir(c.Home, 0o700); err != nil {
		u.t.Fatal(err)
	}
	config := fmt.Sprintf("# my settings\nmodel = \"gpt-5.5\"\nmodel_provider = \"fake\"\n\n[model_providers.fake]\nname = \"Fake\"\nbase_url = %q\n"+
		"wire_api = \"responses\"\nenv_key = \"OPENAI_API_KEY\"\nsupports_websockets = false\n", api.URL())
	if err := os.WriteFile(filepath.Join(c.Home, "config.toml"), []byte(config), 0o600); err != nil {
		u.t.Fatal(err)
	}
	return c
}

func (c *Codex) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, program, args...)
	command.Dir = c.user.Project
	command.Env = append(c.user.environment(), "PATH="+c.path, "OPENAI_API_KEY="+DummyKey)
	return command
}

// Memory runs the plugin's command line for this user, and returns its output.
func (c *Codex) Memory(ctx context.Context, args ...string) string {
	c.user.t.Helper()
	output, err := c.command(ctx, filepath.Join(c.user.Plugin, "bin", "memory"), args...).CombinedOutput()
	if err != nil {
		c.user.t.Fatalf("memory %q: %v\n%s", args, err, output)
	}
	return string(output)
}

// Exec runs one headless session with one prompt. It returns Codex's report on standard error, which has the runs of
// hooks.
func (c *Codex) Exec(ctx context.Context, prompt string, args ...string) string {
	c.user.t.Helper()
	c.user.runs++
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	log, err := os.CreateTemp(filepath.Dir(c.user.Home), "codex-*")
	if err != nil {
		c.user.t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	c.user.showOnFailure(log.Name())
	// Files, not pipes: a child that outlives the client must not block the test.
	session := c.command(ctx, c.binary, append([]string{
		"exec", "--skip-git-repo-check",
		"--dangerously-bypass-approvals-and-sandbox", prompt,
	}, args...)...)
	session.Stderr = log
	if err := session.Run(); err != nil {
		c.user.t.Fatalf("codex exec %q: %v", prompt, err)
	}
	report, err := os.ReadFile(log.Name())
	if err != nil {
		c.user.t.Fatal(err)
	}
	return string(report)
}

// CodexHook is a hook as Codex lists it.
type CodexHook struct {
	Key         string
	CurrentHash string
	TrustStatus string
}

// Hooks asks Codex for the hooks that it would run here. With trust it first makes Codex record that its user trusts
// them, as Codex's own page does.
func (c *Codex) Hooks(ctx context.Context, trust bool) []CodexHook {
	c.user.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	server := c.command(ctx, c.binary, "app-server")
	in, out := must(server.StdinPipe()), must(server.StdoutPipe())
	if err := server.Start(); err != nil {
		c.user.t.Fatal(err)
	}
	defer func() {
		_ = in.Close()
		_ = server.Process.Kill()
		_ = server.Wait()
	}()
	answers := json.NewDecoder(bufio.NewReader(out))
	var listed struct {
		Data []struct {
			Hooks    []CodexHook
			Warnings []string
			Errors   []any
		}
	}
	err := errors.Join(
		callCodex(in, answers, 1, "initialize", map[string]any{"clientInfo": map[string]string{
			"name":  "e2e",
			"title": "e2e", "version": "1",
		}}, nil),
		callCodex(in, answers, 2, "hooks/list", map[string]any{"cwds": []string{c.user.Project}}, &listed),
	)
	if err != nil || len(listed.Data) != 1 || len(listed.Data[0].Warnings)+len(listed.Data[0].Errors) > 0 {
		c.user.t.Fatalf("codex lists its hooks as %+v: %v", listed, err)
	}
	hooks := listed.Data[0].Hooks
	if trust {
		state := map[string]any{}
		for _, h := range hooks {
			state[h.Key] = map[string]string{"trusted_hash": h.CurrentHash}
		}
		edit := map[string]any{"keyPath": "hooks.state", "value": state, "mergeStrategy": "upsert"}
		if err := callCodex(in, answers, 3, "config/batchWrite", map[string]any{"edits": []any{edit}}, nil); err != nil {
			c.user.t.Fatal(err)
		}
	}
	return hooks
}

// callCodex calls a method of the app server, and skips other messages until the answer comes.
func callCodex(to io.Writer, from *json.Decoder, id int, method string, params, result any) error {
	request := must(json.Marshal(map[string]any{"id": id, "method": method, "params": params}))
	if _, err := to.Write(append(request, '\n')); err != nil {
		return fmt.Errorf("call %s: %w", method, err)
	}
	for {
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := from.Decode(&answer); err != nil {
			return fmt.Errorf("call %s: %w", method, err)
		}
		switch {
		case answer.ID != id:
			continue
		case len(answer.Error) > 0:
			return fmt.Errorf("call %s: %s", method, answer.Error)
		case result == nil:
			return nil
		}
		return json.Unmarshal(answer.Result, result)
	}
}

// ranHooks returns how often a hook of an event ran, and whether one failed, according to Codex's report.
func ranHooks(report, event string) (ran int, failed bool) {
	return strings.Count(report, "hook: "+event+" Completed"), strings.Contains(report, "hook: "+event+" Failed")
}
