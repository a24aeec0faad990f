// Package models asks models to distil sessions, through the user's own Claude Code or an OpenAI-compatible endpoint. It limits
// and ends processes and requests, keeps clients from capturing their own sessions, and decides to which addresses text or a key
// may be sent. It does not write questions, judge answers, count tokens against limits, or retry.
package models

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
)

const (
	// maxOutput is the maximum output of a runner in bytes, about a hundred times a usual answer.
	maxOutput = 1 << 20
	// endTime is how long the output of a killed client may stay open.
	endTime = 5 * time.Second
	// mostTurns is the maximum number of turns of the client. The structured output is a turn of its own; a request
	// for a correction would be one more.
	mostTurns = 2
)

// Claude asks a model through the user's Claude Code.
type Claude struct {
	Command string // the client's program, by name on the PATH or by path
	Model   string
	Key     string // API key; empty if the client has signed in
	URL     string // address of the API; empty for the client's default
	Dir     string // parent of the empty folder for each call
	Environ []string
}

// noReply is the reply of a call in which no model was asked.
var noReply = distill.Reply{Usage: distill.Usage{Reported: true}}

// Ask implements distill.Model. The client runs in a process group of its own, without tools, hooks, plugins, MCP
// servers or instruction files. So it cannot capture its own session, and text in the record can affect the answer
// only. The process group is killed when the client or ctx ends.
func (c Claude) Ask(ctx context.Context, q distill.Question) (distill.Reply, error) {
	program, err := private.LookPath(c.Command)
	if err != nil {
		return noReply, fmt.Errorf("%w: the client %q is missing or must not be started: install it, or set distill.command to its path: %w", distill.ErrRunner, c.Command, err)
	}
	dir, err := os.MkdirTemp(c.Dir, "distill-")
	if err != nil {
		return noReply, fmt.Errorf("make a folder for the client: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	command := exec.CommandContext(ctx, program, c.arguments(q)...)
	command.Dir, command.Env, command.Stdin = dir, c.environment(q), strings.NewReader(q.Prompt)
	stdout := &process.Head{Most: maxOutput, Full: func() { cancel(errTooLong) }}
	stderr := &process.Head{Most: maxOutput}
	command.Stdout, command.Stderr, command.WaitDelay = stdout, stderr, endTime
	process.Separate(command)
	command.Cancel = func() error {
		process.KillGroup(command.Process.Pid)
		return nil
	}
	if err := command.Start(); err != nil {
		return noReply, fmt.Errorf("%w: Claude Code could not be started: %w", distill.ErrRunner, err)
	}
	err = command.Wait()
	process.KillGroup(command.Process.Pid) // processes that the client has left behind
	if ended := context.Cause(ctx); ended != nil {
		return distill.Reply{}, fmt.Errorf("the client was killed: %w", ended)
	}
	return read(stdout.Text.Bytes(), stderr.Text.String(), err)
}

var errTooLong = fmt.Errorf("%w: it has more than %d bytes", distill.ErrAnswer, maxOutput)

func (c Claude) arguments(q distill.Question) []string {
	return []string{
		"-p", "--output-format", "json", "--model", c.Model, "--max-turns", strconv.Itoa(mostTurns),
		"--safe-mode", "--tools", "", "--strict-mcp-config", "--no-session-persistence", "--settings", `{"disableAllHooks":true}`,
		"--system-prompt", q.System, "--json-schema", string(q.Schema),
	}
}

// environment returns the client's environment: without our variables, but with the switch that disables our hooks,
// in case the client runs them all the same.
func (c Claude) environment(q distill.Question) []string {
	var env []string
	for _, pair := range c.Environ {
		if !strings.HasPrefix(pair, "MEMORY_") && !strings.HasPrefix(pair, "SURREAL_") {
			env = append(env, pair)
		}
	}
	env = append(env,
		"MEMORY_DISABLED=true", "CLAUDE_CODE_SAFE_MODE=1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1", "DISABLE_AUTOUPDATER=1",
		"CLAUDE_CODE_MAX_OUTPUT_TOKENS="+strconv.Itoa(q.MaxOutput),
	)
	if c.Key != "" {
		env = append(env, "ANTHROPIC_API_KEY="+c.Key)
	}
	if c.URL != "" {
		env = append(env, "ANTHROPIC_BASE_URL="+c.URL)
	}
	return env
}

// result is the JSON that the client prints at the end.
type result struct {
	Type       string          `json:"type"`
	Subtype    string          `json:"subtype"`
	IsError    bool            `json:"is_error"`
	Status     int             `json:"api_error_status"`
	Result     string          `json:"result"`
	Structured json.RawMessage `json:"structured_output"`
	USD        float64         `json:"total_cost_usd"`
	Usage      *struct {
		Input   int `json:"input_tokens"`
		Written int `json:"cache_creation_input_tokens"`
		Read    int `json:"cache_read_input_tokens"`
		Output  int `json:"output_tokens"`
	} `json:"usage"`
	Models map[string]struct {
		Input   int `json:"inputTokens"`
		Written int `json:"cacheCreationInputTokens"`
		Read    int `json:"cacheReadInputTokens"`
		Output  int `json:"outputTokens"`
	} `json:"modelUsage"`
}

// usage returns the sums over all models, because the client may ask others, too.
func (r result) usage() distill.Usage {
	var input, output []int
	for _, m := range r.Models {
		input, output = append(input, m.Input, m.Written, m.Read), append(output, m.Output)
	}
	if len(r.Models) == 0 && r.Usage != nil {
		input, output = []int{r.Usage.Input, r.Usage.Written, r.Usage.Read}, []int{r.Usage.Output}
	}
	if output == nil {
		return distill.Usage{USD: r.USD}
	}
	return distill.NewUsage(input, output, r.USD)
}

// read returns the reply in the client's output. failed is the error of the client's process.
func read(stdout []byte, stderr string, failed error) (distill.Reply, error) {
	var r result
	if err := json.Unmarshal(stdout, &r); err != nil || r.Type != "result" {
		return distill.Reply{}, fmt.Errorf("the client ended without a result: %w: %.300s",
			cmp.Or(failed, err), cmp.Or(strings.TrimSpace(stderr), string(bytes.TrimSpace(stdout))))
	}
	reply := distill.Reply{Text: r.Structured, Usage: r.usage()}
	switch {
	case r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden || r.IsError &&
		strings.Contains(r.Result, "/login"):
		return reply, fmt.Errorf("%w: Claude Code is not signed in: start claude, type /login, and try again: %.300s", distill.ErrRunner, r.Result)
	case r.IsError && len(reply.Text) == 0:
		return reply, fmt.Errorf("the client failed (%s): %.300s", r.Subtype, r.Result)
	case len(reply.Text) == 0:
		reply.Text = []byte(r.Result)
	}
	return reply, nil
}
