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

	"github.com/surrealdb-memory/surrealdb-memory/pkg/process"
)

const (
	saidKept  = 2048        // bytes of a program's output that are quoted in an error
	drainTime = time.Second // for the output of a program that was killed
)

// ask runs a program that answers soon, and returns its outputs. It is ended when the time is over.
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

// childEnvironment is the environment of a child process, with the given settings. The rest of ours
// stays here: it holds API keys.
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

// tail keeps the last bytes written to it, for the error of a process that failed.
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
