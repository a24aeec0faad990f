package dashboard

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// OfHome returns the dashboard of a home. The agent serves it when it is asked to.
func OfHome(agent Agent, layout paths.Layout, cfg config.Config, log *slog.Logger) *Dashboard {
	limits := cfg.Maintenance.Rules
	return New(Options{
		Agent: agent, Log: log, Now: time.Now, StartBudget: cfg.Hooks.SessionStart.TokenBudget,
		Budgets: Budgets{Project: limits.ProjectBudget, User: limits.UserBudget},
		Examine: examine(layout), Folder: layout.Run(),
		Settings: func() []Setting { return settingsInForce(layout) },
		SwitchModel: func(on bool) error {
			return config.Set(layout.ConfigFile(), config.DistillEnabled, strconv.FormatBool(on))
		},
	})
}

// settingsInForce returns all settings. Passwords and tokens stay here.
func settingsInForce(layout paths.Layout) []Setting {
	all, _ := config.List(layout.ConfigFile(), os.Getenv) // the agent has reported the problems
	shown := make([]Setting, 0, len(all))
	for _, s := range all {
		one := Setting{Key: s.Key, Text: s.Text, Default: s.Default, Origin: s.Origin, Secret: s.Secret}
		if !s.Secret {
			one.Value = s.Value
		}
		shown = append(shown, one)
	}
	return shown
}

// examineTime bounds memory doctor.
const examineTime = 30 * time.Second

// examine has memory doctor look at this home, as a terminal would.
func examine(layout paths.Layout) func(context.Context, memory.Project) ([]Finding, error) {
	return func(ctx context.Context, p memory.Project) ([]Finding, error) {
		executable, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find memory doctor: %w", err)
		}
		ctx, cancel := context.WithTimeout(ctx, examineTime)
		defer cancel()
		doctor := exec.CommandContext(ctx, paths.CLI(executable), "doctor", "--json")
		doctor.Env = append(consent.OfCommand().Resident(), "MEMORY_HOME="+layout.Home)
		if info, err := os.Stat(p.Root); err == nil && info.IsDir() {
			doctor.Dir = p.Root
		}
		output, runErr := doctor.Output() // it fails if it finds something, too
		var found []Finding
		if err := json.Unmarshal(output, &found); err != nil {
			return nil, fmt.Errorf("memory doctor does not say what it finds (%w); run it in a terminal", cmp.Or(runErr, err))
		}
		return found, nil
	}
}
