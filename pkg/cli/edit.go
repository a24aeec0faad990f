package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/ruleblock"
)

func editCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "edit", Usage: "change a memory's text, kind, importance, tags or scope, or pin it", ArgsUsage: "ID",
		Description: described("Without an option it opens $VISUAL or $EDITOR. A new text makes a new memory with a new id; the old one is archived.",
			"memory edit 3f9a1c", `memory edit 3f9a1c --content "the staging port is 7654"`,
			"memory edit 3f9a1c --pin --tag release --untag draft",
			"memory edit 3f9a1c --scope user"),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "content", Usage: "the new `TEXT` of the memory"},
			&cli.StringFlag{Name: "kind", Usage: "the new `KIND`: " + joined(memory.StatementKinds(), ", ")},
			&cli.Float64Flag{Name: "importance", Usage: "the importance `N`, from 0 to 1; important memories come first when space is short"},
			&cli.BoolFlag{Name: "pin", Usage: "never let it fade; --pin=false: let it fade again"},
			&cli.StringSliceFlag{Name: "tag", Usage: "add the `TAG`; may be given again"},
			&cli.StringSliceFlag{Name: "untag", Usage: "remove the `TAG`; may be given again"},
			&cli.StringFlag{Name: "scope", Usage: "the new `SCOPE`: project, for this one only, or user for every project"},
		},
		Action: inProject(e, editMemory),
	}
}

// scopes are the scopes that an edit can set.
var scopes = []memory.Scope{memory.ScopeProject, memory.ScopeUser}

func forgetCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "forget", Usage: "archive memories; memory restore ID brings one back", ArgsUsage: "ID...",
		Description: described("", "memory forget 3f9a1c", "memory forget 3f9a1c 81c0d2"),
		Action: inProject(e, func(c *cli.Context, e *environment, where project.Project) error {
			return amendAll(c, e, where, memory.StatusArchived)
		}),
	}
}

// amendAll gives the memories whose ids are the arguments another status, one by one. It continues after a memory that does not
// exist, and then returns the error.
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
	if len(ids) > 1 {
		return usagef("edit which? give one id, as memory list shows it")
	}
	change, err := changeOf(c)
	if err != nil {
		return err
	}
	text := c.String("content")
	if c.NumFlags() == 0 {
		if text, err = editedText(c.Context, e, where, ids[0]); err != nil || text == "" {
			return err
		}
	}
	if c.NumFlags() == 0 || c.IsSet("content") {
		if change.Content, _, err = cleanText(text, "the new text"); err != nil {
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
	case c.IsSet("kind") && !change.Kind.UserAuthored():
		return change, usagef("there is no kind %q to change to; the kinds are %s", change.Kind, joined(memory.StatementKinds(), ", "))
	case c.IsSet("scope") && !slices.Contains(scopes, change.Scope):
		return change, usagef("there is no scope %q; the scopes are %s", change.Scope, joined(scopes, " and "))
	}
	if change.AddTags, err = cleanTags(c.StringSlice("tag")); err == nil {
		change.RemoveTags, err = cleanTags(c.StringSlice("untag"))
	}
	return change, err
}

// editedText opens a memory's text in the user's editor and returns the new text. If the text is unchanged it prints
// so, and returns "".
func editedText(ctx context.Context, e *environment, where project.Project, id string) (string, error) {
	editor := cmp.Or(e.Getenv("VISUAL"), e.Getenv("EDITOR"))
	switch {
	case !e.Interactive: // an editor would wait forever for keys
		return "", usagef("without a terminal there is no editor: memory edit %s --content \"…\" gives the new text", id)
	case editor == "":
		return "", usagef("set EDITOR, or give the new text: memory edit %s --content \"…\"", id)
	}
	found, err := daemonapi.MethodGet.Ask(ctx, e.Daemon.Call, daemonapi.GetParams{Project: where.Key, IDs: []string{id}})
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", unknownID(id, where.Name)
	}
	before := found[0].Content
	if memory.OneLine(found[0].Detail) == memory.OneLine(before) { // the detail has the same text with its line breaks
		before = found[0].Detail
	}
	after, err := inEditor(ctx, e, editor, withoutControls(before)+"\n")
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(after) == strings.TrimSpace(withoutControls(before)) {
		return "", e.Print(found[0], func(w io.Writer) { _, _ = fmt.Fprintln(w, "nothing was changed") })
	}
	if strings.TrimSpace(after) == "" {
		return "", usagef(
			"the text is empty, and nothing was changed; memory forget %s archives the memory", id)
	}
	return after, nil
}

func inEditor(ctx context.Context, e *environment, editor, text string) (string, error) {
	dir, err := os.MkdirTemp("", "memory-edit-") // 0700
	if err != nil {
		return "", fmt.Errorf("make a file to edit: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "memory.md")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("make a file to edit: %w", err)
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.In, e.Out, e.Err
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("the editor (%s) failed, and nothing was changed: %w", editor, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the edited text: %w", err)
	}
	return string(data), nil
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
			_, _ = fmt.Fprintln(w, "no change: the memory is like that already")
		case result.After.ID != result.Before.ID:
			_, _ = fmt.Fprintf(w, "replaced %s\n", memory.ShortID(result.Before.ID))
		case result.After.Status != result.Before.Status && result.After.Status == memory.StatusArchived:
			_, _ = fmt.Fprintf(w, "forgotten; memory restore %s brings it back\n", memory.ShortID(result.After.ID))
		case result.After.Status != memory.StatusActive:
			_, _ = fmt.Fprintf(w, "changed, but it is %s and is not recalled; memory restore %s brings it back\n",
				result.After.Status, memory.ShortID(result.After.ID))
		default:
			_, _ = fmt.Fprintln(w, "done")
		}
		memoryLine(e.Terminal, w, result.After)
	})
}
