// Package plugintest builds, writes and copies programs for tests that run them. Those of the plugin
// are built as the Makefile builds a release, so that a test runs the same program, and finds the
// objects that make build has compiled; and a program that was just written can be started at once. It
// refuses to be linked by a program.
package plugintest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// BuiltVariable names a folder of built programs, which Build copies. make test sets it: six packages test them.
const BuiltVariable = "MEMORY_TEST_PROGRAMS"

// Build builds programs, named by directories as for go build, into a directory that it makes, or copies those of BuiltVariable.
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

// BuildOf is Build with further flags for the linker, such as -X main.stamp=1.
func BuildOf(flags, dir string, programs ...string) error {
	arguments := append([]string{"build", "-trimpath", "-ldflags", "-s -w " + flags, "-o", dir + string(filepath.Separator)}, programs...)
	build := exec.Command("go", arguments...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build %q for tests: %w\n%s", programs, err, out)
	}
	return nil
}

// Runner is a testing.M, or a wrapper of one.
type Runner interface{ Run() int }

// Removing runs the tests and then removes the directory that they built programs in.
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
