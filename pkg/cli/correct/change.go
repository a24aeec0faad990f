// Package correct has the commands that change, archive and restore memories, and
// decide about quarantined ones.
package correct

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/input"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/rows"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
)

// Edit makes memory edit.
func Edit(e *command.Env) *cli.Command {
	return &cli.Command{
		Name: "edit", Usage: "change the text of a memory, its kind or its weight", ArgsUsage: "ID",
		Description: command.Described("Without --content, --kind and --importance it opens $VISUAL or $EDITOR. A new text replaces the memory by one with a new id; the old one is archived.",
			"memory edit 3f9a1c", `memory edit 3f9a1c --content "the staging port is 7654" --reason moved`, "memory edit 3f9a1c --kind todo"),
		BashComplete: e.Complete(e.IDs(memory.StatusActive, false), map[string]command.Values{"kind": command.OneOf(memory.StatementKinds()...)}),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "content", Usage: "the new `TEXT`, whole"},
			&cli.StringFlag{Name: "kind", Usage: "the new `KIND`: " + command.Joined(memory.StatementKinds(), ", ")},
			&cli.Float64Flag{Name: "importance", Usage: "from 0 to 1: `N` decides what comes first when space is short"},
			command.ReasonFlag("`WHY` it changes"), command.ProjectFlag(), command.JSONFlag(),
		},
		Action: command.InProject(e, editOptionsOf, edit),
	}
}

// Pin makes memory pin.
func Pin(e *command.Env) *cli.Command {
	return changeCommand(e, "pin", "keep a memory from fading", "memory pin 3f9a1c", func(*cli.Context) (memory.Change, error) {
		return memory.Change{Pinned: new(true)}, nil
	})
}

// Unpin makes memory unpin.
func Unpin(e *command.Env) *cli.Command {
	return changeCommand(e, "unpin", "let a pinned memory fade again", "memory unpin 3f9a1c", func(*cli.Context) (memory.Change, error) {
		return memory.Change{Pinned: new(false)}, nil
	})
}

// Tag makes memory tag.
func Tag(e *command.Env) *cli.Command {
	return &cli.Command{
		Name: "tag", Usage: "add tags to a memory, or remove them", ArgsUsage: "ID TAG...",
		Description:  command.Described("", "memory tag 3f9a1c database release", "memory tag 3f9a1c --remove release"),
		BashComplete: e.Complete(e.IDs(memory.StatusActive, false), nil),
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "remove", Usage: "remove the `TAG`; may be given again"}, command.ProjectFlag(), command.JSONFlag(),
		},
		Action: command.InProject(e, tagOptionsOf, amend),
	}
}

// Promote makes memory promote.
func Promote(e *command.Env) *cli.Command {
	to := &cli.StringFlag{Name: "to", Usage: "`SCOPE`: project, or user for every project", Value: string(memory.ScopeProject)}
	command := changeCommand(e, "promote", "widen the scope of a memory", "memory promote 3f9a1c --to user", func(c *cli.Context) (memory.Change, error) {
		scope := memory.Scope(c.String("to"))
		if scope != memory.ScopeProject && scope != memory.ScopeUser {
			return memory.Change{}, command.Usagef("there is no scope %q to promote to; there are project and user", scope)
		}
		return memory.Change{Scope: scope}, nil
	})
	command.Flags = append([]cli.Flag{to}, command.Flags...)
	return command
}

// Forget makes memory forget.
func Forget(e *command.Env) *cli.Command {
	return changeCommand(e, "forget", "archive a memory; memory restore brings it back", `memory forget 3f9a1c --reason "the port has moved"`, func(c *cli.Context) (memory.Change, error) {
		if strings.TrimSpace(c.String("reason")) == "" {
			return memory.Change{}, command.Usagef("say why: memory forget %s --reason \"…\"", c.Args().First())
		}
		return memory.Change{Status: memory.StatusArchived}, nil
	})
}

// changeOptions name the memory to change, its new text, and the reason.
type changeOptions struct {
	command.Shared
	id     string
	reason string // as typed; may be empty
	change memory.Change
}

// changeCommand makes a command that changes one memory.
func changeCommand(e *command.Env, name, usage, example string, change func(*cli.Context) (memory.Change, error)) *cli.Command {
	read := func(c *cli.Context) (o changeOptions, err error) {
		o.Shared, o.reason = command.SharedOf(c), c.String("reason")
		if o.id, err = input.OnlyID(c); err != nil {
			return o, err
		}
		o.change, err = change(c)
		return o, err
	}
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: "ID", Description: command.Described("", example), BashComplete: e.Complete(e.IDs(memory.StatusActive, false), scopeValues),
		Flags:  []cli.Flag{command.ReasonFlag("`WHY`: the reason, which is recorded"), command.ProjectFlag(), command.JSONFlag()},
		Action: command.InProject(e, read, amend),
	}
}

// scopeValues completes --to.
var scopeValues = map[string]command.Values{"to": command.OneOf(memory.ScopeProject, memory.ScopeUser)}

func tagOptionsOf(c *cli.Context) (o changeOptions, err error) {
	o.Shared = command.SharedOf(c)
	if !c.Args().Present() {
		return o, command.Usagef("tag which? give an id and tags")
	}
	o.id = c.Args().First()
	if err := input.CheckID(o.id); err != nil {
		return o, err
	}
	if o.change.AddTags, err = input.Tags(c.Args().Tail()); err != nil {
		return o, err
	}
	if o.change.RemoveTags, err = input.Tags(c.StringSlice("remove")); err != nil {
		return o, err
	}
	if len(o.change.AddTags)+len(o.change.RemoveTags) == 0 {
		return o, command.Usagef("give tags to add, or --remove TAG")
	}
	return o, nil
}

// editOptions are a change, or a request to open the editor.
type editOptions struct {
	changeOptions
	inEditor bool
}

func editOptionsOf(c *cli.Context) (o editOptions, err error) {
	o.Shared, o.reason = command.SharedOf(c), c.String("reason")
	if o.id, err = input.OnlyID(c); err != nil {
		return o, err
	}
	if c.IsSet("importance") {
		o.change.Importance = new(c.Float64("importance"))
	}
	if kind := memory.Kind(c.String("kind")); kind.UserAuthored() {
		o.change.Kind = kind
	} else if c.IsSet("kind") {
		return o, command.Usagef("there is no kind %q to change to; there are %s", kind, command.Joined(memory.StatementKinds(), ", "))
	}
	o.inEditor = !c.IsSet("content") && !c.IsSet("kind") && !c.IsSet("importance")
	if c.IsSet("content") {
		o.change.Content, _, err = input.Clean(c.String("content"), "the new text")
	}
	return o, err
}

func edit(ctx context.Context, e *command.Env, where project.Project, o editOptions) error {
	if o.inEditor {
		text, err := edited(ctx, e, where, o)
		if err != nil || text == "" {
			return err
		}
		if o.change.Content, _, err = input.Clean(text, "the new text"); err != nil {
			return err
		}
	}
	return amend(ctx, e, where, o.changeOptions)
}

// edited opens a memory's text in the user's editor and returns the new text, or "" if
// it is unchanged, which it reports.
func edited(ctx context.Context, e *command.Env, where project.Project, o editOptions) (string, error) {
	editor := cmp.Or(e.Getenv("VISUAL"), e.Getenv("EDITOR"))
	if editor == "" {
		return "", command.Usagef("set EDITOR, or give the new text: memory edit %s --content \"…\"", o.id)
	}
	found, err := agentapi.MethodGet.Ask(ctx, e.Agent.Call, agentapi.GetParams{Project: where.Key, IDs: []string{o.id}})
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", input.Unknown(o.id, where.Name)
	}
	before := found[0].Content
	if memory.OneLine(found[0].Detail) == memory.OneLine(before) { // the same text, with its lines
		before = found[0].Detail
	}
	after, err := inEditor(ctx, e, editor, input.WithoutControls(before)+"\n")
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(after) == strings.TrimSpace(input.WithoutControls(before)) {
		return "", e.Print(ctx, o.JSON, found[0], func(w io.Writer) { _, _ = fmt.Fprintln(w, "nothing was changed") })
	}
	if strings.TrimSpace(after) == "" {
		return "", command.Usagef("the text is empty, and nothing was changed; memory forget archives a memory")
	}
	return after, nil
}

func inEditor(ctx context.Context, e *command.Env, editor, text string) (string, error) {
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

// amend asks for a change and prints the result.
func amend(ctx context.Context, e *command.Env, where project.Project, o changeOptions) error {
	change := o.change
	if strings.TrimSpace(o.reason) != "" {
		reason, _, err := input.Clean(o.reason, "the reason")
		if err != nil {
			return err
		}
		change.Reason = reason
	}
	now := e.Now()
	change.ID, change.At, change.By = memory.NewEventID(now), now.UTC(), e.By()
	result, err := agentapi.MethodAmend.Ask(ctx, e.Agent.Call, agentapi.AmendParams{Project: where.Key, ID: o.id, Change: change})
	if errors.Is(err, memory.ErrNotFound) {
		return input.Unknown(o.id, where.Name)
	}
	if err != nil {
		return err
	}
	return e.Print(ctx, o.JSON, result, func(w io.Writer) {
		switch {
		case !result.Changed():
			_, _ = fmt.Fprintln(w, "no change: it already is so")
		case result.After.ID != result.Before.ID:
			_, _ = fmt.Fprintf(w, "replaced %s\n", memory.ShortID(result.Before.ID))
		case result.After.Status != result.Before.Status && result.After.Status == memory.StatusArchived:
			_, _ = fmt.Fprintf(w, "forgotten; memory restore %s brings it back\n", memory.ShortID(result.After.ID))
		case result.After.Status != memory.StatusActive:
			_, _ = fmt.Fprintf(w, "changed, but it is %s and is not recalled; memory restore %s brings it back\n", result.After.Status, memory.ShortID(result.After.ID))
		default:
			_, _ = fmt.Fprintln(w, "done")
		}
		rows.Line(e.Terminal, w, result.After)
	})
}
