//go:build unix

package private_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
)

// A program that others may replace, or whose folder they may write to, is passed over for the next of that name.
func TestAProgramThatOthersMayReplaceIsNotStarted(t *testing.T) {
	base := t.TempDir()
	program := func(dir string, folder, file os.FileMode) string {
		dir = filepath.Join(base, dir)
		path := filepath.Join(dir, "engine")
		musttest.Do(t, errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700), os.Chmod(path, file), os.Chmod(dir, folder)))
		return dir
	}
	open, replaceable, safe := program("open", 0o777, 0o700), program("replaceable", 0o755, 0o757), program("safe", 0o755, 0o755)
	list := string(filepath.ListSeparator)
	t.Setenv("PATH", "relative"+list+open+list+replaceable+list+safe)
	if got, err := private.LookPath("engine"); got != filepath.Join(safe, "engine") || err != nil {
		t.Errorf("found is %s, %v", got, err)
	}
	t.Setenv("PATH", open+list+replaceable)
	if got, err := private.LookPath("engine"); !errors.Is(err, private.ErrUnsafe) {
		t.Errorf("found is %s, %v", got, err)
	}
	if got, err := private.LookPath(filepath.Join(open, "engine")); !errors.Is(err, private.ErrUnsafe) {
		t.Errorf("by its path found is %s, %v", got, err)
	}
	musttest.Do(t, os.Symlink(filepath.Join(open, "engine"), filepath.Join(safe, "linked")))
	musttest.Is(t, private.ErrUnsafe, private.Program(filepath.Join(safe, "linked")), "behind a link")
	musttest.Is(t, exec.ErrNotFound, musttest.Err(private.LookPath("none")), "without any")
}

// Of a folder of programs nothing is started if others may change anything in it, or put something there.
func TestAFolderOfProgramsIsTheUsersAlone(t *testing.T) {
	module := filepath.Join("node_modules", "@a", "b", "native.node")
	mode := func(mode os.FileMode, elements ...string) func(dir string) error {
		return func(dir string) error { return os.Chmod(filepath.Join(append([]string{dir}, elements...)...), mode) }
	}
	link := func(to, mode os.FileMode) func(dir string) error {
		return func(dir string) error {
			away := filepath.Join(dir, "..", "away")
			file := filepath.Join(away, "module")
			return errors.Join(os.MkdirAll(away, 0o700), os.WriteFile(file, nil, 0o600), os.Chmod(away, mode), os.Chmod(file, to), os.Symlink(file, filepath.Join(dir, "node_modules", "link")))
		}
	}
	for name, c := range map[string]struct {
		change func(dir string) error
		isSafe bool
	}{
		"nothing":                            {func(string) error { return nil }, true},
		"others may read":                    {mode(0o755, "node_modules"), true},
		"there is none":                      {os.RemoveAll, true},
		"a link to a file of the user":       {link(0o644, 0o755), true},
		"the folder":                         {mode(0o777), false},
		"the folder, with a sticky bit":      {mode(0o777 | os.ModeSticky), false},
		"the program":                        {mode(0o666, "server.mjs"), false},
		"the program, of a group":            {mode(0o664, "server.mjs"), os.Getgid() == os.Getuid()},
		"a program with a sticky bit":        {mode(0o666|os.ModeSticky, "server.mjs"), false},
		"the packages":                       {mode(0o777, "node_modules"), false},
		"the packages, with a sticky bit":    {mode(0o777|os.ModeSticky, "node_modules"), false},
		"a folder between":                   {mode(0o777, "node_modules", "@a", "b"), false},
		"a module":                           {mode(0o777, module), false},
		"a link to an open file":             {link(0o666, 0o755), false},
		"a link to a file in an open folder": {link(0o644, 0o777), false},
		"the folder above":                   {mode(0o777, ".."), false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "above", "engine")
			musttest.Do(t, errors.Join(os.MkdirAll(filepath.Join(dir, filepath.Dir(module)), 0o700), os.WriteFile(filepath.Join(dir, "server.mjs"), nil, 0o600), os.WriteFile(filepath.Join(dir, module), nil, 0o600)))
			musttest.Do(t, c.change(dir))
			if err := private.Programs(dir); errors.Is(err, private.ErrUnsafe) == c.isSafe || c.isSafe && err != nil {
				t.Errorf("it may be started: %t, %v; want %t", err == nil, err, c.isSafe)
			}
		})
	}
}
