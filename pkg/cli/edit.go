package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/ruleblock"
)

func editCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "edit", Usage: "change a memory's text, kind, importance, tags or scope, or pin it", ArgsUsage: "ID",
		Description: described("A new text makes a new memory with a new id; the old one is archived. Other spaces, marks at the end or a capital first letter do not make a new text.",
			`memory edit 3f9a1c --content "the staging port is 7654"`,
			"memory edit 3f9a1c --pin --tag release --untag draft",
			"memory edit 3f9a1c --scope user"),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "content", Usage: "the new `TEXT` of the memory"},
			&cli.StringFlag{Name: "kind", Usage: "the new `KIND`: " + joined(memory.StatementKinds(), ", ")},
			&cli.Float64Flag{Name: "importance", Usage: "the importance `N`, from 0 to 1; important memories come first when space is short", DefaultText: "unchanged"},
			&cli.BoolFlag{Name: "pin", Usage: "never archive it automatically; --pin=false: allow it again", DefaultText: "unchanged"},
			&cli.StringSliceFlag{Name: "tag", Usage: "add the `TAG`; may be given again"},
			&cli.StringSliceFlag{Name: "untag", Usage: "remove the `TAG`; may be given again"},
			&cli.StringFlag{Name: "scope", Usage: "the new `SCOPE`: project (only this project) or user (every project)"},
		},
		Action: inProject(e, editMemory),
	}
}

var scopes = []memory.Scope{memory.ScopeProject, memory.ScopeUser}

func forgetCommand(e *environment) *cli.Command {
	return command("forget", "archive memories; memory restore ID brings one back", "ID...", "memory forget 3f9a1c 81c0d2",
		inProject(e, func(c *cli.Context, e *environment, where project.Project) error {
			return amendAll(c, e, where, memory.StatusArchived)
		}))
}

// amendAll sets the status of the memories whose ids are the arguments, one by one. It continues after a memory that
// does not exist, and then returns the error.
func amendAll(c *cli.Context, e *environment, where project.Project, status memory.Status) error {
	ids, err := someIDs(c)
	for _, id := range ids {
		err = errors.Join(err, amendMemory(c.Context, e, where, id, memory.Change{Status: status}))
	}
	return err
}

func editMemory(c *cli.Context, e *environment, where project.Project) error {
	ids, err := someIDs(c)
	if err != nil {
		return err
	}
	switch {
	case len(ids) > 1:
		return usagef("edit which? give one id, as memory list shows it")
	case c.NumFlags() == 0:
		return usagef("edit what? memory edit %s --content TEXT gives it a new text; memory edit --help lists the other options", ids[0])
	}
	change, err := changeOf(c)
	if err != nil {
		return err
	}
	if c.IsSet("content") {
		if change.Content, _, err = redact.Memory("the new text", c.String("content")); err != nil {
			return err
		}
	}
	return amendMemory(c.Context, e, where, ids[0], change)
}

// changeOf returns the change that the flags describe, without the text.
func changeOf(c *cli.Context) (change memory.Change, err error) {
	if c.IsSet("importance") {
		change.Importance = new(c.Float64("importance"))
	}
	if c.IsSet("pin") {
		change.Pinned = new(c.Bool("pin"))
	}
	change.Kind, change.Scope = memory.Kind(c.String("kind")), memory.Scope(c.String("scope"))
	switch {
	case change.Importance != nil && !memory.IsImportance(*change.Importance):
		return change, usagef("importance %g is not from 0 to 1", *change.Importance)
	case c.IsSet("kind") && !change.Kind.IsUserAuthored():
		return change, usagef("there is no kind %q to change to; the kinds are %s", change.Kind, joined(memory.StatementKinds(), ", "))
	case c.IsSet("scope") && !slices.Contains(scopes, change.Scope):
		return change, usagef("there is no scope %q; the scopes are %s", change.Scope, joined(scopes, " and "))
	}
	if change.AddTags, err = redact.Tags(c.StringSlice("tag")); err == nil {
		change.RemoveTags, err = redact.Tags(c.StringSlice("untag"))
	}
	return change, err
}

// amendMemory makes the daemon change a memory, and prints the result.
func amendMemory(ctx context.Context, e *environment, where project.Project, id string, change memory.Change) error {
	now := e.Now()
	change.ID, change.At, change.By = memory.NewEventID(now), now.UTC(), e.By()
	result, err := daemonapi.MethodAmend.Ask(ctx, e.Daemon.Call,
		daemonapi.AmendParams{Project: where.Key, ID: id, Change: change})
	if errors.Is(err, memory.ErrNotFound) {
		return unknownID(id, where.Name)
	}
	if err != nil {
		return err
	}
	if id := memory.ShortID(result.Before.ID); result.After.ID != result.Before.ID || change.Status == memory.StatusArchived {
		for _, rule := range namedRules(where.Root, func(rule ruleblock.Rule) bool { return rule.ID == id }) {
			_, _ = fmt.Fprintf(e.Err, "memory: the rule %s is still there: memory rule --off %s removes it\n", rule, id)
		}
	}
	return e.Print(result, func(w io.Writer) {
		switch {
		case !result.Changed():
			_, _ = fmt.Fprintln(w, "no change was needed")
		case result.After.ID != result.Before.ID:
			_, _ = fmt.Fprintf(w, "replaced %s\n", memory.ShortID(result.Before.ID))
		case result.After.Status != result.Before.Status && result.After.Status == memory.StatusArchived:
			_, _ = fmt.Fprintf(w, "archived; memory restore %s brings it back\n", memory.ShortID(result.After.ID))
		case result.After.Status != memory.StatusActive:
			_, _ = fmt.Fprintf(w, "changed; the memory is %s, so it is not recalled: memory restore %s brings it back\n",
				result.After.Status, memory.ShortID(result.After.ID))
		case result.After.Status != result.Before.Status:
			_, _ = fmt.Fprintf(w, "restored %s\n", memory.ShortID(result.After.ID))
		default:
			_, _ = fmt.Fprintf(w, "changed %s\n", memory.ShortID(result.After.ID))
		}
		memoryRow(e.Terminal, w, daemonapi.Listed{Memory: result.After})
	})
}
