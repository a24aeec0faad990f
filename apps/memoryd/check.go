package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"

	"github.com/robfig/cron/v3"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// check prints the engine, data and settings that an agent would use, for memory
// doctor, which links neither engine nor scheduler.
func check(ctx context.Context, layout paths.Layout, cfg config.Config, getenv func(string) string, out io.Writer) error {
	options, err := engineOptions(layout, cfg, slog.New(slog.DiscardHandler), io.Discard)
	if err != nil {
		return err
	}
	choice, err := engine.Find(ctx, options)
	result := agentapi.CheckResult{Crons: badCrons(layout, getenv), Engine: agentapi.CheckedEngine{
		Kind: string(choice.Kind), Path: choice.Path, Name: choice.String(), Version: choice.Version, PassedOver: choice.PassedOver,
		Packages: options.Packages,
	}}
	if since, ok := engine.Installing(options.Packages); ok {
		result.Engine.InstallingSince = since
	}
	if err != nil {
		result.Engine.Problem = err.Error()
	}
	if errors.Is(err, engine.ErrNotInstalled) {
		result.Engine.Installable, result.Engine.Download = true, engine.DownloadSize(ctx, options)
	}
	return json.NewEncoder(out).Encode(result)
}

func badCrons(layout paths.Layout, getenv func(string) string) []agentapi.BadCron {
	bad := []agentapi.BadCron{}
	all, _ := config.List(layout.ConfigFile(), getenv) // the caller reports problems of the settings itself
	for _, setting := range all {
		if !strings.HasSuffix(setting.Key, ".cron") || setting.Value == "" { // empty switches a job off
			continue
		}
		if _, err := cron.ParseStandard(setting.Value); err != nil {
			bad = append(bad, agentapi.BadCron{Key: setting.Key, Default: setting.Default, Problem: err.Error()})
		}
	}
	return bad
}
