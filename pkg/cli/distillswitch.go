package cli

import (
	"fmt"
	"io"
	"strconv"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
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
}

// switchDistillation saves whether models may be asked. The daemon reads it before each call.
func switchDistillation(e *environment, on bool) error {
	if err := config.Set(e.Paths.ConfigFile(), config.DistillEnabled, strconv.FormatBool(on)); err != nil {
		return err
	}
	cfg, _ := config.Load(e.Paths.ConfigFile(), e.Getenv)
	result := switchState{On: on}
	if on {
		result.Receiver = cfg.Distill.Receiver()
	}
	return e.Print(result, func(w io.Writer) {
		if !on {
			_, _ = fmt.Fprintln(w,
				"distillation is off: no session is sent to a model, and nobody asks again. What a model wrote before stays.")
			return
		}
		_, _ = fmt.Fprintf(w, "distillation is on: when a session has ended, its redacted words go to %s;\nat most %d tokens a session and %d a day, memory distill spend shows them\n",
			terminal.Printable(result.Receiver), cfg.Distill.SessionTokens, cfg.Distill.DayTokens)
		_, _ = fmt.Fprintln(w, "memory distill --dry-run SESSION prints what is sent, memory distill --all distils past sessions,\nmemory distill off switches it off")
	})
}
