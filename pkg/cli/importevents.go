package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
)

// carry imports a source and prints the report.
func carry(ctx context.Context, e *environment, r importReport, source iter.Seq2[memory.Event, error]) error {
	writer, err := importWriter(ctx, e)
	if err != nil {
		return err
	}
	err = writer.WriteAll(ctx, source)
	if ctx.Err() != nil {
		return memory.Mark(errors.New("interrupted; the same command continues, and stores nothing twice"), ctx.Err())
	}
	if err != nil {
		return err
	}
	r.Report = writer.Report()
	return printImported(ctx, e, r)
}

// carryEvents imports events that are already in memory.
func carryEvents(ctx context.Context, e *environment, r importReport, events []memory.Event) error {
	return carry(ctx, e, r, func(yield func(memory.Event, error) bool) {
		for _, event := range events {
			if !yield(event, nil) {
				return
			}
		}
	})
}

// mayBeMine returns an error if a file lies in a repository, so that it cannot be imported as the user's own words.
// Anybody can write a file that claims to have such words: so only a person may import it (consent.NeedsPerson), and
// only from outside of a repository.
func mayBeMine(e *environment, path string) error {
	root := project.Repository(path)
	if root == "" || root == project.Resolved(e.Getenv("HOME")) {
		return nil
	}
	return fmt.Errorf("%s lies in the git repository %s, so anybody may have written it: copy what is yours out of the repository", path, root)
}
