package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

// The arguments of "memory distill" (instead of a session's id) and "memory setup codex".
const (
	switchOn  = "on"
	switchOff = "off"
)

func isSwitch(word string) bool { return word == switchOn || word == switchOff }

// switchState is the JSON output: whether distillation is on.
type switchState struct {
	On       bool   `json:"on"`
	Receiver string `json:"receiver,omitempty"` // who gets the words of sessions; empty if it is off
	// Restart is set if the running daemon still uses the old setting.
	Restart bool `json:"restart"`
}

// switchDistillation saves whether models may be asked, and prints the setting that the running daemon uses now.
func switchDistillation(ctx context.Context, e *environment, on bool) error {
	if err := config.Set(e.Paths.ConfigFile(), config.DistillEnabled, strconv.FormatBool(on)); err != nil {
		return err
	}
	cfg, _ := config.Load(e.Paths.ConfigFile(), e.Getenv)
	state := daemonapi.DistillState{
		Enabled: cfg.Distill.Enabled, Receiver: cfg.Distill.Receiver(), SessionTokens: cfg.Distill.SessionTokens,
		DayTokens: cfg.Distill.DayTokens,
	}
	taken, err := daemonapi.MethodDistillState.Ask(ctx, e.Daemon.Ask, daemonapi.None{})
	restart := err != nil && !errors.Is(err, daemonclient.ErrNoDaemon)
	if err == nil { // the running daemon's setting counts
		restart = taken.Enabled != state.Enabled
		state = taken
	}
	result := switchState{On: state.Enabled, Restart: restart}
	if state.Enabled {
		result.Receiver = state.Receiver
	}
	return e.Print(result, func(w io.Writer) {
		switch {
		case restart:
			_, _ = fmt.Fprintf(w,
				"distillation is still %s in the daemon that is running: memory daemon stop ends it, and the next hook or command starts it\n", map[bool]string{true: switchOff, false: switchOn}[on])
		case on:
			_, _ = fmt.Fprintf(w, "distillation is on: when a session has ended, its redacted words go to %s;\nat most %d tokens a session and %d a day, memory distill spend shows them\n",
				terminal.Printable(state.Receiver), state.SessionTokens, state.DayTokens)
			_, _ = fmt.Fprintln(w, "memory distill --dry-run SESSION prints what is sent, memory distill --all distils past sessions,\nmemory distill off switches it off")
		default:
			_, _ = fmt.Fprintln(w,
				"distillation is off: no session is sent to a model, and nobody asks again. What a model wrote before stays.")
		}
	})
}
