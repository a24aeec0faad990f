// Command testengine runs a command with one SurrealDB in memory for all the tests it starts:
//
//	go run ./scripts/testengine -- go test ./...
//
// It passes on the command's exit code and leaves no engine behind.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
)

const versionLimit = 10 * time.Second

func main() {
	arguments := os.Args[1:]
	if len(arguments) > 0 && arguments[0] == "--" {
		arguments = arguments[1:]
	}
	if len(arguments) == 0 {
		fmt.Fprintln(os.Stderr, "usage: testengine -- COMMAND [ARGUMENT...]")
		os.Exit(2)
	}
	code, err := run(arguments)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testengine:", err)
	}
	os.Exit(code)
}

func run(arguments []string) (code int, err error) {
	endpoint, stop, err := enginetest.Open()
	if err != nil {
		return 1, err
	}
	defer stop()
	if err := tell(endpoint); err != nil {
		return 1, err
	}
	dir, err := os.MkdirTemp("", "testengine-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir) // a temporary directory
	file := filepath.Join(dir, "endpoint.json")
	if err := enginetest.WriteEndpoint(file, endpoint); err != nil {
		return 1, err
	}
	return runWith(arguments, enginetest.SharedVariable+"="+file)
}

// tell says which engines the tests run on: the shared one, and those that programs under test find by themselves.
func tell(endpoint engine.Endpoint) error {
	address := "http" + strings.TrimPrefix(endpoint.URL, "ws") + "/version"
	ctx, cancel := context.WithTimeout(context.Background(), versionLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("ask the engine for its version: %w", err)
	}
	defer response.Body.Close() // it was read
	version, err := io.ReadAll(io.LimitReader(response.Body, 256))
	if err != nil {
		return fmt.Errorf("ask the engine for its version: %w", err)
	}
	whose := "the embedded engine, in memory"
	if os.Getenv(enginetest.SharedVariable) != "" {
		whose = "the server of " + enginetest.SharedVariable
	}
	fmt.Printf("tests run on %s (%s, %s)\n", strings.TrimSpace(string(version)), whose, endpoint.URL)
	sources, packages, err := enginetest.Dirs()
	if err != nil {
		return err
	}
	choice, err := engine.Find(ctx, engine.Options{Sources: sources, Packages: packages})
	if err != nil {
		return fmt.Errorf("find the engine of programs under test: %w", err)
	}
	fmt.Printf("programs under test start %s\n", choice)
	newer := os.Getenv("MEMORY_TEST_SURREAL")
	if newer == "" {
		newer = "none: MEMORY_TEST_SURREAL names no surreal binary, so tests of a change of engines are skipped"
	}
	fmt.Printf("newer engine: %s\n", newer)
	return nil
}

func runWith(arguments []string, setting string) (int, error) {
	command := exec.Command(arguments[0], arguments[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.Env = append(os.Environ(), setting)
	// The terminal sends Ctrl-C to the command too. It decides when to end, and the engine ends after it.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := command.Start(); err != nil {
		return 1, err
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for {
		select {
		case received := <-signals:
			if received == syscall.SIGTERM {
				_ = command.Process.Signal(received) // it may have ended already
			}
		case err := <-ended:
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				return max(exit.ExitCode(), 1), nil
			}
			return 0, err
		}
	}
}
