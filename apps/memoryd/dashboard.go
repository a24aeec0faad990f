package main

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

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/dashboard"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// newPages is the dashboard, which the service serves when it is asked to.
func newPages(service *agent.Service, layout paths.Layout, cfg config.Config, log *slog.Logger) *dashboard.Dashboard {
	limits := cfg.Maintenance.Rules
	return dashboard.New(dashboard.Options{
		Agent: service, Log: log, Now: time.Now, StartBudget: cfg.Hooks.SessionStart.TokenBudget,
		Budgets: dashboard.Budgets{Project: limits.ProjectBudget, User: limits.UserBudget},
		Examine: examine(layout), Folder: layout.Run(),
		Settings: func() []dashboard.Setting { return settings(layout) },
		SwitchModel: func(on bool) error {
			return config.Set(layout.ConfigFile(), config.DistillEnabled, strconv.FormatBool(on))
		},
	})
}

// settings are those in force. Passwords and tokens stay here.
func settings(layout paths.Layout) []dashboard.Setting {
	all, _ := config.List(layout.ConfigFile(), os.Getenv) // the agent has reported the problems
	shown := make([]dashboard.Setting, 0, len(all))
	for _, s := range all {
		one := dashboard.Setting{Key: s.Key, Text: s.Text, Default: s.Default, Origin: s.Origin, Secret: s.Secret}
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
func examine(layout paths.Layout) func(context.Context, memory.Project) ([]dashboard.Finding, error) {
	return func(ctx context.Context, p memory.Project) ([]dashboard.Finding, error) {
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
		var found []dashboard.Finding
		if err := json.Unmarshal(output, &found); err != nil {
			return nil, fmt.Errorf("memory doctor does not say what it finds (%w); run it in a terminal", cmp.Or(runErr, err))
		}
		return found, nil
	}
}
