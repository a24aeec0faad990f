package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// otherClient is another client than Claude Code of the same user, in the same project.
type otherClient struct {
	name    string
	dir     string // of its configuration
	user    *User
	program []string // with its first arguments
	env     []string // NAME=value
}

// configure writes a file of the client's configuration.
func (c *otherClient) configure(name, content string) {
	c.user.t.Helper()
	file := filepath.Join(c.dir, name)
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = os.WriteFile(file, []byte(content), 0o600)
	}
	if err != nil {
		c.user.t.Fatal(err)
	}
}

func (c *otherClient) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, program, args...)
	command.Dir = c.user.Project
	command.Env = append(c.user.environment(), c.env...)
	return command
}

// run is one process of the client that must end well.
func (c *otherClient) run(ctx context.Context, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	log, err := os.CreateTemp(filepath.Dir(c.user.Home), c.name+"-*")
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	c.user.showOnFailure(log.Name())
	// Files and not pipes: a child that outlives the client must not hold the test.
	session := c.command(ctx, c.program[0], append(c.program[1:len(c.program):len(c.program)], args...)...)
	session.Stdout, session.Stderr = log, log
	if err := session.Run(); err != nil {
		return fmt.Errorf("%s %q: %w", c.name, args, err)
	}
	return nil
}

// Memory runs the plugin's command line for this user, and returns its output.
func (c *otherClient) Memory(ctx context.Context, args ...string) string {
	c.user.t.Helper()
	output, err := c.command(ctx, filepath.Join(c.user.Plugin, "bin", "memory"), args...).CombinedOutput()
	if err != nil {
		c.user.t.Fatalf("memory %q: %v\n%s", args, err, output)
	}
	return string(output)
}

// toldTo are the memory blocks before a model in the first request with a prompt.
func toldTo(api *FakeAPI, prompt string) []string {
	requests := api.RequestsWith(prompt)
	if len(requests) == 0 {
		return nil
	}
	return requests[0].MemoryBlocks()
}
