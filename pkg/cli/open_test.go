package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
)

// opener replaces the system's: it records its arguments, which every user of the machine can read, its environment, which this
// user's processes can read, and then the content of the file that it is to open.
const opener = `#!/bin/sh
cat /proc/$$/cmdline /proc/$$/environ > "$SEEN/process"
cat "$1" > "$SEEN/file"
mv "$SEEN/file" "$SEEN/opened"
`

// TestTheBrowsersKeyIsInNoProcess: memory open starts the browser with a file, and prints no key either.
func TestTheBrowsersKeyIsInNoProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the stand-in for the opener reads /proc")
	}
	dir := t.TempDir()
	musttest.Do(t, plugintest.WriteProgram(filepath.Join(dir, "xdg-open"), []byte(opener)))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("SEEN", dir)
	x := machine(t, t.TempDir())
	var out, problems bytes.Buffer
	running.Lock()
	code := run(t.Context(), []string{"memory", "open"}, runOptions{Version: "dev", Dir: x.dir, Executable: filepath.Join(dir, "memory"), Terminal: &terminal.Terminal{
		In: strings.NewReader(""), Out: &out, Err: &problems, Getenv: func(name string) string { return x.env[name] }, Now: time.Now, Zone: zone, Interactive: true,
	}})
	running.Unlock()
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, problems.String())
	}
	opened := readWhenThere(t, filepath.Join(dir, "opened"))
	if !strings.Contains(opened, dashboardKey) {
		t.Errorf("the browser is given a file without the key: %q", opened)
	}
	seen := readWhenThere(t, filepath.Join(dir, "process"))
	if !strings.Contains(seen, "open-1.html") || !strings.Contains(seen, "SEEN=") {
		t.Fatalf("the opener's arguments and environment are not seen: %q", seen)
	}
	for where, text := range map[string]string{"arguments or environment": seen, "output": out.String() + problems.String()} {
		if strings.Contains(text, dashboardKey) {
			t.Errorf("the key stands in %s: %q", where, text)
		}
	}
}

// readWhenThere reads a file that a process of its own makes.
func readWhenThere(t *testing.T, path string) string {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
		if content, err := os.ReadFile(path); err == nil {
			return string(content)
		}
	}
	t.Fatalf("%s was not made", path)
	return ""
}
