// Command memory-mcp is an MCP server on standard input and output that gives a model access to the memory of the
// project in which it is started. The client starts it; it ends with its input.
package main

import (
	"cmp"
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
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

// version is set by the linker.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	broken := make(chan os.Signal, 1) // a closed pipe is not a failure: a client that has gone also closes the input
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
	where, err := project.Identify(cmp.Or(getenv("CLAUDE_PROJECT_DIR"), getenv("MEMORY_PROJECT_DIR"), ".")) // where the session was started
	if where.Key == "" {
		return fmt.Errorf("find the project: %w", err)
	}
	layout := paths.FromEnv(getenv)
	if err := consent.CheckHome(layout, getenv, where); err != nil {
		return err
	}
	server := mcpserver.New(mcpserver.Options{
		Daemon:  daemonclient.Daemon{Paths: layout, Executable: executable, Now: time.Now, Environ: func() []string { return consent.SafeEnvironment(environ, where) }},
		Version: version, Project: where, Session: cmp.Or(getenv("CLAUDE_CODE_SESSION_ID"), getenv("MEMORY_SESSION_ID")),
	})
	return server.Run(ctx, transport)
}
