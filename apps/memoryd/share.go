package main

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/sharedref"
)

// sharedRef finds the copy of the facts in a project's ref.
func sharedRef(layout paths.Layout) func(string) string {
	return func(project string) string { return sharedref.Ref{Dir: layout.SharedRef(project)}.ChosenCopy() }
}

// fetchShared fetches the ref of a project, if the user has chosen it; nil if nothing may be
// fetched without being asked for.
func fetchShared(layout paths.Layout, cfg config.Config) func(context.Context, string) error {
	if !cfg.Share.Fetch {
		return nil
	}
	return func(ctx context.Context, project string) error {
		ref := sharedref.Ref{Dir: layout.SharedRef(project)}
		if !ref.IsChosen() {
			return nil
		}
		return ref.Fetch(ctx)
	}
}
