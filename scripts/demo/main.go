// Command demo replays a recorded story of two sessions through the real programs, on a real SurrealDB, in a
// temporary home. It prints the cost of each step, the stored rows, and the text that the second session is given.
// README.md shows the same text. Unless KEEP=1 it leaves no process and no file behind.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/tokens"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout, os.Getenv("KEEP") == "1")
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

const (
	storyFile  = "testdata/story/two-sessions.json"
	projectVar = "${PROJECT}"
)

// story is the recorded input of each hook, in order.
type story struct {
	Steps []struct {
		Hook  string          `json:"hook"`
		Input json.RawMessage `json:"input"`
	} `json:"steps"`
}

func run(ctx context.Context, out io.Writer, keep bool) (err error) {
	tale, err := readStory()
	if err != nil {
		return err
	}
	s, err := newStage(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.strike(keep)) }()

	s.heading("Session one")
	for _, step := range tale.Steps[:len(tale.Steps)-1] {
		if _, err := s.hook(ctx, step.Hook, step.Input); err != nil {
			return err
		}
	}
	if err := s.showStore(ctx); err != nil {
		return err
	}

	s.heading("Session two")
	last := tale.Steps[len(tale.Steps)-1]
	output, err := s.hook(ctx, last.Hook, last.Input)
	if err != nil {
		return err
	}
	return s.showContext(output)
}

func readStory() (story, error) {
	var tale story
	data, err := os.ReadFile(storyFile)
	if err != nil {
		return tale, fmt.Errorf("run the demo from the repository's root (make demo): %w", err)
	}
	if err := json.Unmarshal(data, &tale); err != nil {
		return tale, fmt.Errorf("read %s: %w", storyFile, err)
	}
	if len(tale.Steps) < 2 {
		return tale, fmt.Errorf("%s has no two sessions", storyFile)
	}
	return tale, nil
}

// stage is the demo's temporary home and project.
type stage struct {
	out                  io.Writer
	dir, plugin          string
	memoryHome, project  string
	environment          []string
	daemonPID, enginePID int
	budget               int
}

func newStage(out io.Writer) (*stage, error) {
	plugin, err := filepath.Abs("plugin")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "surrealdb-memory-demo-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary home: %w", err)
	}
	s := &stage{
		out: out, dir: dir, plugin: plugin, memoryHome: filepath.Join(dir, "memory"), project: filepath.Join(dir, "project"),
		budget: config.Default().Hooks.SessionStartTokens,
	}
	s.environment = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "CLAUDE_CONFIG_DIR=" + filepath.Join(dir, "claude"),
		"MEMORY_HOME=" + s.memoryHome, "CLAUDE_PLUGIN_ROOT=" + plugin, "CLAUDE_PROJECT_DIR=" + s.project,
		enginetest.Setting(),
	}
	for _, folder := range []string{"home", "claude", "project"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			return nil, err
		}
	}
	_, _ = fmt.Fprintf(out, "Real programs, a real SurrealDB, a temporary home: %s\n", dir)
	return s, nil
}

// hook runs one hook program as the client does and prints its cost.
func (s *stage) hook(ctx context.Context, name string, input []byte) ([]byte, error) {
	input = bytes.ReplaceAll(input, []byte(projectVar), []byte(s.project))
	cmd := exec.CommandContext(ctx, filepath.Join(s.plugin, "libexec", name))
	cmd.Env, cmd.Dir = s.environment, s.project
	cmd.Stdin = bytes.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	started := time.Now()
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("hook %s: %w: %s", name, err, stderr.String())
	}
	_, _ = fmt.Fprintf(s.out, "  %8.1f ms  %-22s %s\n", float64(time.Since(started).Microseconds())/1000, name, gist(input))
	return stdout.Bytes(), nil
}

// gist describes an input in a few words.
func gist(input []byte) string {
	var in struct {
		Source    string `json:"source"`
		Reason    string `json:"reason"`
		Prompt    string `json:"prompt"`
		ToolName  string `json:"tool_name"`
		ToolInput struct {
			Command  string `json:"command"`
			FilePath string `json:"file_path"`
		} `json:"tool_input"`
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return ""
	}
	text := in.Source + in.Reason + in.Prompt + in.ToolInput.Command
	if in.ToolInput.FilePath != "" {
		text = filepath.Base(in.ToolInput.FilePath)
	}
	return strings.TrimSpace(in.ToolName + " " + memory.Cut(memory.OneLine(text), 60))
}

func (s *stage) showStore(ctx context.Context) error {
	if err := s.memory(ctx, "daemon", "ingest"); err != nil {
		return err
	}
	s.heading("What was stored")
	if err := s.memory(ctx, "list", "--project", s.project); err != nil {
		return err
	}
	if err := s.memory(ctx, "status"); err != nil {
		return err
	}
	s.heading("One maintenance run")
	if err := s.memory(ctx, "daemon", "consolidate"); err != nil {
		return err
	}
	return s.notePIDs(ctx)
}

// memory runs the CLI and shows its output.
func (s *stage) memory(ctx context.Context, args ...string) error {
	text, err := s.memoryOutput(ctx, args...)
	for line := range strings.Lines(text) {
		_, _ = fmt.Fprintf(s.out, "  %s", line)
	}
	return err
}

func (s *stage) memoryOutput(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(s.plugin, "bin", "memory"), args...)
	cmd.Env, cmd.Dir = s.environment, s.project
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("memory %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out), nil
}

func (s *stage) notePIDs(ctx context.Context) error {
	text, err := s.memoryOutput(ctx, "status", "--json")
	if err != nil {
		return err
	}
	var status daemonapi.StatusResult
	if err := json.Unmarshal([]byte(text), &status); err != nil {
		return fmt.Errorf("read the status: %w", err)
	}
	s.daemonPID, s.enginePID = status.PID, status.Engine.PID
	return nil
}

// showContext prints the text that the model is given, and the number of its tokens.
func (s *stage) showContext(output []byte) error {
	var answer struct {
		HookSpecificOutput struct {
			AdditionalContext string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(output, &answer); err != nil {
		return fmt.Errorf("session two was given nothing: %w", err)
	}
	text := answer.HookSpecificOutput.AdditionalContext
	counter := tokens.New()
	tokens, encoding := counter.Count(text), counter.Encoding()
	_, _ = fmt.Fprintf(s.out, "\n%s\n%d tokens (%s), %d characters\n", text, tokens, encoding, len([]rune(text)))
	for what, part := range map[string]string{
		"the fact": "6543", "the failure": "STAGING_TOKEN is not set",
		"the edit": "edited health.go",
	} {
		if !strings.Contains(text, part) {
			return fmt.Errorf("session two was not given %s: %q is missing", what, part)
		}
	}
	if tokens > s.budget || strings.Contains(text, "4711") {
		return errors.New("session two was given too much")
	}
	return holdReadme(text)
}

// strike ends the daemon and removes the stage. If that fails, the error names what is left.
func (s *stage) strike(keep bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if _, err := s.memoryOutput(ctx, "daemon", "stop"); err != nil {
		return err
	}
	for _, pid := range []int{s.daemonPID, s.enginePID} {
		for pid > 0 && isRunning(pid) { // the daemon gives up its lock just before it ends
			select {
			case <-ctx.Done():
				return fmt.Errorf("process %d is still there", pid)
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	if keep {
		_, _ = fmt.Fprintf(s.out, "\nNo process is left. Kept: MEMORY_HOME=%s\n", s.memoryHome)
		return nil
	}
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("remove the temporary home: %w", err)
	}
	_, _ = fmt.Fprintln(s.out, "\nNo process and no file is left.")
	return nil
}

// isRunning reports whether a process runs. A process that has ended but was not reaped does not count.
func isRunning(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil { // not Linux, or gone meanwhile
		return !errors.Is(err, os.ErrNotExist) || syscall.Kill(pid, 0) == nil
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}

func (s *stage) heading(text string) { _, _ = fmt.Fprintf(s.out, "\n%s\n", text) }
