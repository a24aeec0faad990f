//go:build unix

package launcher_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/launcher"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// version makes a version of the plugin whose programs print their name, that of the version and their arguments.
func version(t *testing.T, plugins, name string, age time.Duration) string {
	t.Helper()
	root := filepath.Join(plugins, name)
	for _, dir := range []string{"hooks", "libexec"} {
		musttest.Do(t, os.MkdirAll(filepath.Join(root, dir), 0o700))
	}
	program := "#!/bin/sh\necho \"${0##*/} " + name + " $MEMORY_HOME $*\"\n"
	for _, file := range []string{"libexec/memory", "libexec/memory-mcp", "libexec/memoryd", "hooks/run.sh"} {
		path := filepath.Join(root, filepath.FromSlash(file))
		musttest.Do(t, os.WriteFile(path, []byte(program), 0o700))
		musttest.Do(t, os.Chtimes(path, time.Time{}, time.Now().Add(-age)))
	}
	return root
}

func run(t *testing.T, program string, args ...string) (output string, err error) {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	return strings.TrimSpace(string(text)), err
}

func TestALinkOutlivesTheVersionThatMadeIt(t *testing.T) {
	home := paths.Layout{Home: filepath.Join(t.TempDir(), "it's home")}
	plugins := filepath.Join(t.TempDir(), "cache", "surrealdb-memory")
	old := version(t, plugins, "0.9.1", 2*time.Hour)
	musttest.Do(t, launcher.Install(home, old))
	link := filepath.Join(t.TempDir(), "memory")
	musttest.Do(t, os.Symlink(filepath.Join(home.Bin(), "memory"), link))
	expect := func(what, program, want string) {
		t.Helper()
		musttest.Same(t, want+" "+home.Home+" a b c", musttest.Get(run(t, program, "a b", "c"))(t), "%s", what)
	}
	expect("the version that made it", link, "memory 0.9.1")

	version(t, plugins, "0.10.0", time.Minute)
	version(t, plugins, "0.9.2", time.Hour)
	musttest.Do(t, os.RemoveAll(old))
	expect("the newest of the others", link, "memory 0.10.0")
	expect("the MCP server", filepath.Join(home.Bin(), "memory-mcp"), "memory-mcp 0.10.0")
	expect("the service", filepath.Join(home.Bin(), "memoryd"), "memoryd 0.10.0")

	musttest.Do(t, launcher.Refresh(home, filepath.Join(plugins, "0.9.2")))
	expect("the version of the daemon", link, "memory 0.9.2")
	musttest.Is(t, fs.ErrNotExist, musttest.Err(os.Stat(home.Launcher())), "a launcher of Codex was written, and it is not connected")

	musttest.Do(t, os.RemoveAll(plugins))
	for _, program := range []string{link, filepath.Join(home.Bin(), "memory-mcp")} {
		if got, err := run(t, program, "status"); err == nil || !strings.Contains(got, "npx surrealdb-memory") {
			t.Errorf("%s without a plugin: %q, %v", program, got, err)
		}
	}
}

func TestNoVersionIsLookedForAmongOtherFolders(t *testing.T) {
	home := paths.Layout{Home: t.TempDir()}
	projects := filepath.Join(t.TempDir(), "src")
	version(t, projects, "another", time.Hour)
	musttest.Do(t, launcher.Install(home, filepath.Join(projects, "gone")))
	if got, err := run(t, filepath.Join(home.Bin(), "memory")); err == nil || strings.Contains(got, "another") {
		t.Errorf("%q, %v", got, err)
	}
}

// TestALauncherThatIsBrokenIsMendedAndEndsWell: a hook that ends with 2 has the client refuse a prompt.
func TestALauncherThatIsBrokenIsMendedAndEndsWell(t *testing.T) {
	home := paths.Layout{Home: filepath.Join(t.TempDir(), "it's home")}
	plugin := version(t, filepath.Join(t.TempDir(), "surrealdb-memory"), "0.9.1", 0)
	install := func() {
		t.Helper()
		musttest.Do(t, errors.Join(launcher.Install(home, plugin), launcher.Write(home, plugin)))
	}
	install()
	whole := musttest.Get(os.ReadFile(home.Launcher()))(t)
	for _, file := range []string{home.Launcher(), filepath.Join(home.Bin(), "memory")} {
		musttest.Do(t, os.Chmod(file, 0o600))
		install()
		if output, err := run(t, file, "memory"); err != nil || !strings.HasPrefix(output, "memory 0.9.1") {
			t.Errorf("%s after its mode was 0600: %q, %v", file, output, err)
		}
	}
	const trapped = len("#!/bin/sh\ntrap 'exit 0' 0\n")
	for half := trapped; half < len(whole); half += 29 {
		musttest.Do(t, os.WriteFile(home.Launcher(), whole[:half], 0o700))
		if output, err := run(t, home.Launcher(), "stop"); err != nil {
			t.Errorf("%d bytes of %d: %v, %q", half, len(whole), err, output)
		}
	}
	install()
	if repaired, err := os.ReadFile(home.Launcher()); err != nil || !bytes.Equal(repaired, whole) {
		t.Errorf("it is not mended: %q, %v", repaired, err)
	}
}
