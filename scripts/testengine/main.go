// Command testengine runs a command with one SurrealDB in memory for all the tests it starts:
//
//	go run ./scripts/testengine -- go test ./...
//
// It passes on the command's exit code and leaves no engine behind.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
)

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
