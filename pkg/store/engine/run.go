package engine

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
)

const (
	saidKept  = 2048        // bytes of a program's output that an error quotes
	drainTime = time.Second // wait for the remaining output of a killed program
)

// ask runs a program that ends quickly, and returns its outputs. It kills the program after the limit.
func ask(ctx context.Context, limit time.Duration, program string, arguments ...string) (stdout, stderr string, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	command := exec.CommandContext(ctx, program, arguments...)
	command.Env = childEnvironment()
	command.WaitDelay = drainTime
	var out bytes.Buffer
	errs := &tail{limit: saidKept}
	command.Stdout, command.Stderr = &out, errs
	err = process.Run(command)
	return strings.TrimSpace(out.String()), errs.String(), err
}

// childEnvironment returns the environment of a child process with additional settings. It leaves out most of our
// variables, because they may contain API keys.
func childEnvironment(settings ...string) []string {
	names := []string{"PATH", "HOME", "TMPDIR", "LANG", "SYSTEMROOT", "USERPROFILE", "TEMP", "TMP"}
	return append(pickEnvironment(func(name string) bool { return slices.Contains(names, strings.ToUpper(name)) }), settings...)
}

func pickEnvironment(wanted func(name string) bool) []string {
	return slices.DeleteFunc(os.Environ(), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return !wanted(name)
	})
}

// tail is an io.Writer that keeps the last bytes of an output, for the error of a failed program.
type tail struct {
	mu    sync.Mutex
	limit int // bytes
	kept  []byte
}

func (t *tail) Write(content []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, content...)
	if extra := len(t.kept) - t.limit; extra > 0 {
		t.kept = append([]byte(nil), t.kept[extra:]...)
	}
	return len(content), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.kept))
}
