// Command memory-mcp is an MCP server on standard input and output that gives a model access to the memory of the
// project in which it is started. The client starts it; it ends with its input.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/consent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/mcpserver"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// version is set by the linker.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	broken := make(chan os.Signal, 1) // a closed pipe is no failure: a client that has gone also closes the input
	signal.Notify(broken, syscall.SIGPIPE)
	err := serve(ctx, os.Getenv, os.Environ(), stdio(os.Stdin, os.Stdout))
	stop()
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, context.Canceled) && !errors.Is(err, syscall.EPIPE) {
		_, _ = fmt.Fprintf(os.Stderr, "memory-mcp: %v\n", err)
		os.Exit(1)
	}
}

// serve answers one client until it leaves or ctx ends.
func serve(ctx context.Context, getenv func(string) string, environ []string, transport mcp.Transport) error {
	getenv = config.FilterGetenv(getenv)
	executable, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the plugin's directory: %w", err)
	}
	where, err := project.Identify(projectDir(getenv))
	if where.Key == "" {
		return fmt.Errorf("find the project: %w", err)
	}
	layout := paths.FromEnv(getenv)
	if err := consent.CheckHome(layout, getenv, where); err != nil {
		return err
	}
	server := mcpserver.New(mcpserver.Options{
		Version: version, Paths: layout, Executable: executable, Project: where, Session: session(getenv),
		Environ: consent.SafeEnvironment(environ, where), Now: time.Now,
	})
	return server.Run(ctx, transport)
}

// projectDir returns the directory in which the client's session was started.
func projectDir(getenv func(string) string) string {
	for _, name := range []string{"CLAUDE_PROJECT_DIR", "MEMORY_PROJECT_DIR"} {
		if dir := getenv(name); dir != "" {
			return dir
		}
	}
	return "."
}

func session(getenv func(string) string) string {
	if id := getenv("CLAUDE_CODE_SESSION_ID"); id != "" {
		return id
	}
	return getenv("MEMORY_SESSION_ID")
}
