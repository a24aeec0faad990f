//go:build unix

package daemonclient_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

// TestAHeartbeatOfAnotherTimeIsNone: a daemon that does not answer is replaced unless its heartbeat is of now. One that is
// dated ahead, by a clock that was corrected since, would keep it for ever.
func TestAHeartbeatOfAnotherTimeIsNone(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for beat, isReplaced := range map[time.Duration]bool{
		0: false, -14 * time.Second: false, 14 * time.Second: false,
		-16 * time.Second: true, 16 * time.Second: true, 365 * 24 * time.Hour: true, -365 * 24 * time.Hour: true,
	} {
		t.Run(beat.String(), func(t *testing.T) {
			dir := t.TempDir()
			program := filepath.Join(dir, "plugin", "libexec", "memoryd")
			layout := paths.Layout{Home: filepath.Join(dir, "home")}
			daemon := daemonclient.Daemon{Paths: layout, Executable: program, Now: func() time.Time { return now }}
			err := errors.Join(
				os.MkdirAll(filepath.Dir(program), 0o700), os.MkdirAll(layout.Run(), 0o700),
				plugintest.WriteProgram(program, []byte("#!/bin/sh\n")),
				os.WriteFile(layout.Heartbeat(), nil, 0o600), os.Chtimes(layout.Heartbeat(), now.Add(beat), now.Add(beat)),
			)
			musttest.Do(t, err)
			musttest.Do(t, daemon.Revive(t.Context()))
			if _, err := os.Stat(layout.StartMarker()); (err == nil) != isReplaced {
				t.Errorf("another daemon is started: %t, want %t", err == nil, isReplaced)
			}
		})
	}
}

// TestAStartOfAnotherTimeIsNone: who started a daemon a moment ago keeps the next hooks from it, and who did so while the
// clock stood a year ahead does not.
func TestAStartOfAnotherTimeIsNone(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for marked, isStarted := range map[time.Duration]bool{
		0: false, -2 * time.Second: false, 2 * time.Second: false, -4 * time.Second: true, 4 * time.Second: true, 365 * 24 * time.Hour: true,
	} {
		t.Run(marked.String(), func(t *testing.T) {
			layout := paths.Layout{Home: filepath.Join(t.TempDir(), "home")}
			daemon := daemonclient.Daemon{Paths: layout, Executable: filepath.Join(layout.Home, "x"), Now: func() time.Time { return now }}
			at := now.Add(marked)
			musttest.Do(t, errors.Join(os.MkdirAll(filepath.Dir(layout.StartMarker()), 0o700), os.WriteFile(layout.StartMarker(), nil, 0o600), os.Chtimes(layout.StartMarker(), at, at)))
			if err := daemon.Start(); (err != nil) != isStarted { // there is no program
				t.Errorf("the start returns %v, want one that is tried: %t", err, isStarted)
			}
		})
	}
}
