package main

import (
	"log/slog"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/dashboard"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// showPages lets the service serve the dashboard when it is asked to, unless the
// settings say no. Nothing listens after close.
func showPages(service *agent.Service, layout paths.Layout, cfg config.Config, log *slog.Logger) (close func()) {
	if !cfg.Dashboard.Enabled {
		return func() {}
	}
	limits := cfg.Maintenance.Rules
	pages := dashboard.New(dashboard.Options{
		Agent: service, Log: log, Now: time.Now, StartBudget: cfg.Hooks.SessionStart.TokenBudget,
		Budgets: dashboard.Budgets{Project: limits.ProjectBudget, User: limits.UserBudget},
		Examine: examine(layout), Folder: layout.Run(),
	})
	service.Dashboard = pages.Open
	return func() {
		if err := pages.Close(); err != nil {
			log.Debug("the dashboard did not end cleanly", "error", err)
		}
	}
}
