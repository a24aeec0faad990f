// Command testengine runs a command with one SurrealDB in memory for all the tests it starts:
//
//	go run ./scripts/testengine -- go test ./...
//
// With --others it runs the command once on each available engine other than the default one: the embedded engine,
// and a surreal server (on the PATH, or named by MEMORY_TEST_SURREAL). Having no other engine is not a failure. It
// returns the command's exit code and leaves no engine running.
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

	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

const versionLimit = 10 * time.Second

func main() {
	arguments := os.Args[1:]
	others := len(arguments) > 0 && arguments[0] == "--others"
	if others {
		arguments = arguments[1:]
	}
	if len(arguments) > 0 && arguments[0] == "--" {
		arguments = arguments[1:]
	}
	if len(arguments) == 0 {
		fmt.Fprintln(os.Stderr, "usage: testengine [--others] -- COMMAND [ARGUMENT...]")
		os.Exit(2)
	}
	job := run
	if others {
		job = runOthers
	}
	code, err := job(arguments)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testengine:", err)
	}
	os.Exit(code)
}

// run runs the command on the engine that is used first.
func run(arguments []string) (code int, err error) {
	endpoint, stop, err := enginetest.Open()
	if err != nil {
		return 1, err
	}
	defer stop()
	if err := tell(endpoint); err != nil {
		return 1, err
	}
	return runOn(endpoint, arguments)
}

// runOthers runs the command on the embedded engine, if SharedVariable names another one, and on a surreal server, until it
// fails.
func runOthers(arguments []string) (code int, err error) {
	if os.Getenv(enginetest.SharedVariable) != "" {
		if code, err := runOpened("embedded", enginetest.OpenEmbedded, arguments); err != nil || code != 0 {
			return max(code, 1), err
		}
	}
	return runOpened("server", enginetest.OpenServer, arguments)
}

func runOpened(name string, open func() (engine.Endpoint, func(), error), arguments []string) (code int, err error) {
	endpoint, stop, err := open()
	if errors.Is(err, engine.ErrNoEngine) || errors.Is(err, enginetest.ErrNoServer) {
		fmt.Printf("not run on the other engine (%s): %v\n", name, err)
		return 0, nil
	}
	if err != nil {
		return 1, err
	}
	defer stop()
	version, err := versionOf(endpoint)
	if err != nil {
		return 1, err
	}
	fmt.Printf("once more on %s (%s, in memory): %s\n", version, name, strings.Join(arguments, " "))
	return runOn(endpoint, arguments)
}

func runOn(endpoint engine.Endpoint, arguments []string) (code int, err error) {
	dir, err := os.MkdirTemp("", "testengine-")
	if err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary directory
	file := filepath.Join(dir, "endpoint.json")
	if err := enginetest.WriteEndpoint(file, endpoint); err != nil {
		return 1, err
	}
	return runWith(arguments, enginetest.SharedVariable+"="+file)
}

// chosen returns the engine that programs under test find by themselves.
func chosen() (engine.Choice, error) {
	ctx, cancel := context.WithTimeout(context.Background(), versionLimit)
	defer cancel()
	sources, packages, err := enginetest.Dirs()
	if err != nil {
		return engine.Choice{}, err
	}
	choice, err := engine.Find(ctx, engine.Options{Sources: sources, Packages: packages})
	if err != nil {
		return engine.Choice{}, fmt.Errorf("find the engine of programs under test: %w", err)
	}
	return choice, nil
}

func versionOf(endpoint engine.Endpoint) (string, error) {
	address := "http" + strings.TrimPrefix(endpoint.URL, "ws") + "/version"
	ctx, cancel := context.WithTimeout(context.Background(), versionLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", fmt.Errorf("ask the engine for its version: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // everything was read
	version, err := io.ReadAll(io.LimitReader(response.Body, 256))
	if err != nil {
		return "", fmt.Errorf("ask the engine for its version: %w", err)
	}
	return strings.TrimSpace(string(version)), nil
}

// tell prints the engines that the tests run on: the shared engine, and the engine that programs under test find by
// themselves.
func tell(endpoint engine.Endpoint) error {
	version, err := versionOf(endpoint)
	if err != nil {
		return err
	}
	choice, err := chosen()
	if err != nil {
		return err
	}
	whose := string(choice.Kind) + ", in memory"
	if os.Getenv(enginetest.SharedVariable) != "" {
		whose = "the server of " + enginetest.SharedVariable
	}
	fmt.Printf("tests run on %s (%s, %s)\n", version, whose, endpoint.URL)
	fmt.Printf("programs under test start %s\n", choice)
	return nil
}

func runWith(arguments []string, setting string) (int, error) {
	command := exec.Command(arguments[0], arguments[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.Env = append(os.Environ(), setting)
	// The terminal sends Ctrl-C to the command as well. The command decides when to end, and the engine ends after
	// it.
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
