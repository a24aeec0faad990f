package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
)

// The arguments of memory distill in place of a session.
const (
	switchOn  = "on"
	switchOff = "off"
)

func isSwitch(word string) bool { return word == switchOn || word == switchOff }

// switchState is the switch as it is now, for programs.
type switchState struct {
	On bool `json:"on"`
	// Restart says that the agent that is running does not know it yet.
	Restart bool `json:"restart"`
}

// Switch decides whether models may be asked, and has a running agent take it over.
func Switch(ctx context.Context, e *command.Env, on, json bool) error {
	if err := config.Set(e.Paths.ConfigFile(), config.DistillEnabled, strconv.FormatBool(on)); err != nil {
		return err
	}
	cfg, _ := config.Load(e.Paths.ConfigFile(), e.Getenv)
	result := switchState{On: cfg.Distill.Enabled}
	var taken bool
	err := e.Agent.Ask(ctx, agentapi.MethodSwitchDistill.Call(agentapi.None{}, &taken))
	result.Restart = !errors.Is(err, agentclient.ErrNoAgent) && (err != nil || taken != result.On)
	return e.Print(ctx, json, result, func(w io.Writer) {
		switch {
		case result.On != on:
			_, _ = fmt.Fprintf(w, "the settings say %s, but the environment does not (MEMORY_DISTILL_ENABLED), and takes precedence\n", map[bool]string{true: switchOn, false: switchOff}[on])
		case on:
			whatFollows(w, cfg.Distill)
		default:
			_, _ = fmt.Fprintln(w, "distillation is off: no session is sent to a model, and nobody asks again. What a model wrote before stays.")
		}
		if result.Restart {
			_, _ = fmt.Fprintln(w, "the agent that is running has not taken it over: memory agent stop ends it, and the next hook or command starts it")
		}
	})
}

// whatFollows tells a user who has agreed about the consequences.
func whatFollows(w io.Writer, cfg config.Distill) {
	whom := "your own Claude Code, headless (" + cfg.Command + ", model " + cfg.Model + ")"
	if cfg.Runner == config.DistillEndpoint {
		whom = cfg.URL + " (model " + cfg.Model + ")"
	}
	_, _ = fmt.Fprintf(w, "distillation is on: when a session has ended, its redacted words go to %s;\nat most %d tokens a session and %d a day, memory spend shows them\n",
		whom, cfg.SessionTokens, cfg.DayTokens)
	_, _ = fmt.Fprintln(w, "memory distill --dry-run SESSION prints what is sent, memory distill --all works off the sessions of the past,\nmemory distill off ends it")
}
