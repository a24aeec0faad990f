// Package plugintest builds, writes and copies programs for tests that run them. It builds the plugin's programs as
// make build does, so that a test runs the same program and reuses the compiled objects. A program that it
// has written can be started at once. Programs must not import it.
package plugintest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// BuiltVariable names a folder of built programs that Build copies. make test sets it, because several packages test
// the programs.
const BuiltVariable = "MEMORY_TEST_PROGRAMS"

// Build builds programs, named by their directories, into dir, or copies them from the folder in BuiltVariable.
func Build(dir string, programs ...string) error {
	built := os.Getenv(BuiltVariable)
	if built == "" {
		return BuildOf("", dir, programs...)
	}
	errs := []error{os.MkdirAll(dir, programMode)}
	for _, program := range programs {
		path, err := filepath.Abs(program)
		name := filepath.Base(path)
		errs = append(errs, err, CopyPrograms(filepath.Join(dir, name), filepath.Join(built, name)))
	}
	return errors.Join(errs...)
}

// BuildOf builds programs with further linker flags, such as -X main.stamp=1.
func BuildOf(flags, dir string, programs ...string) error {
	arguments := append([]string{"build", "-trimpath", "-ldflags", "-s -w " + flags, "-o", dir + string(filepath.Separator)}, programs...)
	build := exec.Command("go", arguments...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build %q for tests: %w\n%s", programs, err, out)
	}
	return nil
}

// Runner is a testing.M or wraps it.
type Runner interface{ Run() int }

// Removing returns a Runner that runs the tests and then removes the directory of built programs.
func Removing(built func() (dir string, err error), tests Runner) Runner {
	return runner(func() int {
		defer func() {
			if dir, _ := built(); dir != "" {
				_ = os.RemoveAll(dir)
			}
		}()
		return tests.Run()
	})
}

type runner func() int

func (r runner) Run() int { return r() }
