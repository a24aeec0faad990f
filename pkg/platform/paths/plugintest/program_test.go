package plugintest

import (
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestAProgramThatWasJustWrittenRuns while other programs are started all the time.
func TestAProgramThatWasJustWrittenRuns(t *testing.T) {
	var done atomic.Bool
	others := make(chan error, 4)
	for range cap(others) {
		go func() {
			for !done.Load() {
				if err := exec.Command("true").Run(); err != nil {
					others <- err
					return
				}
			}
			others <- nil
		}()
	}
	dir, content := t.TempDir(), append([]byte("#!/bin/sh\nexit 0\n"), make([]byte, 1<<20)...)
	program := filepath.Join(dir, "program")
	for range 60 {
		musttest.Do(t, WriteProgram(program, content))
		if err := exec.Command(program).Run(); err != nil {
			t.Errorf("start what was just written: %v", err)
			break
		}
	}
	done.Store(true)
	for range cap(others) {
		musttest.Do(t, <-others)
	}
}
