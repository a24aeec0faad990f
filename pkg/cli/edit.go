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
)

// editCommand returns the command "memory edit".
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
		Action: inProject(e, editOptionsOf, editMemory),
	}
}

// scopes are the scopes that an edit can set.
var scopes = []memory.Scope{memory.ScopeProject, memory.ScopeUser}

// forgetCommand returns the command "memory forget".
func forgetCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "forget", Usage: "archive memories; memory restore ID brings one back", ArgsUsage: "ID...",
		Description: described("", "memory forget 3f9a1c", "memory forget 3f9a1c 81c0d2"),
		Action:      inProject(e, forgetOptionsOf, forgetMemories),
	}
}

// changeOptions has a memory's id and the change.
type changeOptions struct {
	id     string
	change memory.Change
}

// forgetOptions select the memories to archive.
type forgetOptions struct {
	changeOptions
	ids []string
}

func forgetOptionsOf(c *cli.Context) (o forgetOptions, err error) {
	o.change.Status = memory.StatusArchived
	o.ids, err = someIDs(c)
	return o, err
}

func forgetMemories(ctx context.Context, e *environment, where project.Project, o forgetOptions) error {
	return amendAll(ctx, e, where, o.ids, o.changeOptions)
}

// amendAll changes the memories one by one. It continues after a memory that does not exist, and then returns the
// error.
func amendAll(ctx context.Context, e *environment, where project.Project, ids []string, o changeOptions) (err error) {
	for _, id := range ids {
		o.id = id
		err = errors.Join(err, amendMemories(ctx, e, where, o))
	}
	return err
}

// editOptions is a change, or a request to open the editor.
type editOptions struct {
	changeOptions
	inEditor bool
}

func editOptionsOf(c *cli.Context) (o editOptions, err error) {
	ids, err := someIDs(c)
	if err == nil && len(ids) > 1 {
		err = usagef("edit which? give one id, as memory list shows it")
	}
	if err != nil {
		return o, err
	}
	o.id = ids[0]
	o.inEditor = !slices.ContainsFunc([]string{
		"content", "kind", "importance", "pin", "tag", "untag", "scope",
	}, c.IsSet)
	if c.IsSet("importance") {
		o.change.Importance = new(c.Float64("importance"))
	}
	if c.IsSet("pin") {
		o.change.Pinned = new(c.Bool("pin"))
	}
	if kind := memory.Kind(c.String("kind")); kind.UserAuthored() {
		o.change.Kind = kind
	} else if c.IsSet("kind") {
		return o, usagef("there is no kind %q to change to; the kinds are %s", kind, joined(memory.StatementKinds(), ", "))
	}
	if o.change.Scope = memory.Scope(c.String("scope")); c.IsSet("scope") && !slices.Contains(scopes, o.change.Scope) {
		return o, usagef("there is no scope %q; the scopes are %s", o.change.Scope, joined(scopes, " and "))
	}
	if o.change.AddTags, err = cleanTags(c.StringSlice("tag")); err != nil {
		return o, err
	}
	if o.change.RemoveTags, err = cleanTags(c.StringSlice("untag")); err != nil {
		return o, err
	}
	if c.IsSet("content") {
		o.change.Content, _, err = cleanText(c.String("content"), "the new text")
	}
	return o, err
}

func editMemory(ctx context.Context, e *environment, where project.Project, o editOptions) error {
	if o.inEditor {
		text, err := editedText(ctx, e, where, o)
		if err != nil || text == "" {
			return err
		}
		if o.change.Content, _, err = cleanText(text, "the new text"); err != nil {
			return err
		}
	}
	return amendMemories(ctx, e, where, o.changeOptions)
}

// editedText opens a memory's text in the user's editor and returns the new text. If the text is unchanged it prints
// so, and returns "".
func editedText(ctx context.Context, e *environment, where project.Project, o editOptions) (string, error) {
	editor := cmp.Or(e.Getenv("VISUAL"), e.Getenv("EDITOR"))
	switch {
	case !e.Interactive: // an editor would wait forever for keys
		return "", usagef("without a terminal there is no editor: memory edit %s --content \"…\" gives the new text", o.id)
	case editor == "":
		return "", usagef("set EDITOR, or give the new text: memory edit %s --content \"…\"", o.id)
	}
	found, err := daemonapi.MethodGet.Ask(ctx, e.Daemon.Call, daemonapi.GetParams{Project: where.Key, IDs: []string{o.id}})
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", unknownID(o.id, where.Name)
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
			"the text is empty, and nothing was changed; memory forget %s archives the memory", o.id)
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

// amendMemories makes the daemon change a memory, and prints the result.
func amendMemories(ctx context.Context, e *environment, where project.Project, o changeOptions) error {
	change := o.change
	now := e.Now()
	change.ID, change.At, change.By = memory.NewEventID(now), now.UTC(), e.By()
	result, err := daemonapi.MethodAmend.Ask(ctx, e.Daemon.Call,
		daemonapi.AmendParams{Project: where.Key, ID: o.id, Change: change})
	if errors.Is(err, memory.ErrNotFound) {
		return unknownID(o.id, where.Name)
	}
	if err != nil {
		return err
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
