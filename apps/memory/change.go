package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func reasonFlag(usage string) cli.Flag { return &cli.StringFlag{Name: "reason", Usage: usage} }

func (p *program) editCommand() *cli.Command {
	return &cli.Command{
		Name: "edit", Usage: "change what a memory says, or its weight", ArgsUsage: "ID",
		Description: described("Without --content and --importance it opens $VISUAL or $EDITOR. A new text replaces the memory by one with a new id; the old one is archived.",
			"memory edit 3f9a1c", `memory edit 3f9a1c --content "the staging port is 7654" --reason moved`),
		BashComplete: p.completeWith(p.activeIDs(false)),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "content", Usage: "the new `TEXT`, whole"},
			&cli.Float64Flag{Name: "importance", Usage: "from 0 to 1: `N` decides what comes first when space is short"},
			reasonFlag("`WHY` it changes"), projectFlag(), jsonFlag(),
		},
		Action: p.edit,
	}
}

func (p *program) pinCommand() *cli.Command {
	return p.changeCommand("pin", "keep a memory from fading", "memory pin 3f9a1c", func(*cli.Context) (memory.Change, error) {
		yes := true
		return memory.Change{Pinned: &yes}, nil
	})
}

func (p *program) unpinCommand() *cli.Command {
	return p.changeCommand("unpin", "let a pinned memory fade again", "memory unpin 3f9a1c", func(*cli.Context) (memory.Change, error) {
		no := false
		return memory.Change{Pinned: &no}, nil
	})
}

func (p *program) tagCommand() *cli.Command {
	return &cli.Command{
		Name: "tag", Usage: "add tags to a memory, or take them away", ArgsUsage: "ID TAG...",
		Description:  described("", "memory tag 3f9a1c database release", "memory tag 3f9a1c --remove release"),
		BashComplete: p.completeWith(p.activeIDs(false)),
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "remove", Usage: "take the `TAG` away; may be given again"}, projectFlag(), jsonFlag(),
		},
		Action: p.tag,
	}
}

func (p *program) promoteCommand() *cli.Command {
	to := &cli.StringFlag{Name: "to", Usage: "`SCOPE`: project, or user for every project", Value: string(memory.ScopeProject)}
	command := p.changeCommand("promote", "let a memory reach further", "memory promote 3f9a1c --to user", func(c *cli.Context) (memory.Change, error) {
		scope := memory.Scope(c.String("to"))
		if scope != memory.ScopeProject && scope != memory.ScopeUser {
			return memory.Change{}, usagef("there is no scope %q to promote to; there are project and user", scope)
		}
		return memory.Change{Scope: scope}, nil
	})
	command.Flags = append([]cli.Flag{to}, command.Flags...)
	return command
}

func (p *program) forgetCommand() *cli.Command {
	command := p.changeCommand("forget", "put a memory away; memory restore brings it back", `memory forget 3f9a1c --reason "the port has moved"`, func(c *cli.Context) (memory.Change, error) {
		if strings.TrimSpace(c.String("reason")) == "" {
			return memory.Change{}, usagef("say why: memory forget %s --reason \"…\"", c.Args().First())
		}
		return memory.Change{Status: memory.StatusArchived}, nil
	})
	return command
}

// changeCommand makes a command that changes one memory.
func (p *program) changeCommand(name, usage, example string, change func(*cli.Context) (memory.Change, error)) *cli.Command {
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: "ID", Description: described("", example), BashComplete: p.completeWith(p.activeIDs(false)),
		Flags: []cli.Flag{reasonFlag("`WHY` it is to be so"), projectFlag(), jsonFlag()},
		Action: func(c *cli.Context) error {
			id, err := onlyID(c)
			if err != nil {
				return err
			}
			wanted, err := change(c)
			if err != nil {
				return err
			}
			return p.amend(c, id, wanted)
		},
	}
}

// onlyID is the one argument of a command.
func onlyID(c *cli.Context) (string, error) {
	if c.Args().Len() != 1 {
		return "", usagef("%s which? give one id, as memory list shows them", c.Command.Name)
	}
	return c.Args().First(), checkID(c.Args().First())
}

func (p *program) tag(c *cli.Context) error {
	if !c.Args().Present() {
		return usagef("tag which? give an id and tags")
	}
	id := c.Args().First()
	if err := checkID(id); err != nil {
		return err
	}
	add, errAdd := cleanedTags(c.Args().Tail())
	remove, errRemove := cleanedTags(c.StringSlice("remove"))
	if err := errors.Join(errAdd, errRemove); err != nil {
		return err
	}
	if len(add)+len(remove) == 0 {
		return usagef("give tags to add, or --remove TAG")
	}
	return p.amend(c, id, memory.Change{AddTags: add, RemoveTags: remove})
}

func (p *program) edit(c *cli.Context) error {
	id, err := onlyID(c)
	if err != nil {
		return err
	}
	var change memory.Change
	if c.IsSet("importance") {
		importance := c.Float64("importance")
		change.Importance = &importance
	}
	text := c.String("content")
	if !c.IsSet("content") && !c.IsSet("importance") {
		if text, err = p.edited(c, id); err != nil || text == "" {
			return err
		}
	}
	if text != "" || c.IsSet("content") {
		if change.Content, _, err = cleaned(text, "the new text"); err != nil {
			return err
		}
	}
	return p.amend(c, id, change)
}

// edited has the user's editor change a memory's text. An unchanged text is ""
// and said to be so.
func (p *program) edited(c *cli.Context, id string) (string, error) {
	editor := p.getenv("VISUAL")
	if editor == "" {
		editor = p.getenv("EDITOR")
	}
	if editor == "" {
		return "", usagef("set EDITOR, or give the new text: memory edit %s --content \"…\"", id)
	}
	where, err := p.project(c)
	if err != nil {
		return "", err
	}
	var found []memory.Memory
	if err := p.call(c.Context, agentapi.MethodGet, agentapi.GetParams{Project: where.Key, IDs: []string{id}}, &found); err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", p.unknown(id, where.Name)
	}
	before := found[0].Content
	if memory.OneLine(found[0].Detail) == memory.OneLine(before) { // the same text, with its lines
		before = found[0].Detail
	}
	after, err := p.inEditor(c, editor, withoutControls(before)+"\n")
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(after) == strings.TrimSpace(withoutControls(before)) {
		return "", p.print(c, found[0], func(w io.Writer) { _, _ = fmt.Fprintln(w, "nothing was changed") })
	}
	if strings.TrimSpace(after) == "" {
		return "", usagef("the text is empty, and nothing was changed; memory forget puts a memory away")
	}
	return after, nil
}

func (p *program) inEditor(c *cli.Context, editor, text string) (string, error) {
	dir, err := os.MkdirTemp("", "memory-edit-") // 0700
	if err != nil {
		return "", fmt.Errorf("make a file to edit: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "memory.md")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("make a file to edit: %w", err)
	}
	cmd := exec.CommandContext(c.Context, "sh", "-c", editor+` "$1"`, "sh", file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.in, p.out, p.err
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("the editor (%s) failed, and nothing was changed: %w", editor, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read what was edited: %w", err)
	}
	return string(data), nil
}

// amend asks for a change and says what came of it.
func (p *program) amend(c *cli.Context, id string, change memory.Change) error {
	where, err := p.project(c)
	if err != nil {
		return err
	}
	if reason := c.String("reason"); strings.TrimSpace(reason) != "" {
		if change.Reason, _, err = cleaned(reason, "the reason"); err != nil {
			return err
		}
	}
	now := p.now()
	change.ID, change.At, change.By = memory.NewEventID(now), now.UTC(), p.by()
	var result agentapi.AmendResult
	err = p.call(c.Context, agentapi.MethodAmend, agentapi.AmendParams{Project: where.Key, ID: id, Change: change}, &result)
	if errors.Is(err, memory.ErrNotFound) {
		return p.unknown(id, where.Name)
	}
	if err != nil {
		return err
	}
	return p.print(c, result, func(w io.Writer) {
		switch {
		case !result.Changed():
			_, _ = fmt.Fprintln(w, "no change: it is like that already")
		case result.After.ID != result.Before.ID:
			_, _ = fmt.Fprintf(w, "replaced %s\n", memory.ShortID(result.Before.ID))
		case result.After.Status != result.Before.Status && result.After.Status == memory.StatusArchived:
			_, _ = fmt.Fprintf(w, "forgotten; memory restore %s brings it back\n", memory.ShortID(result.After.ID))
		case result.After.Status != memory.StatusActive:
			_, _ = fmt.Fprintf(w, "changed, but it is %s and is not recalled; memory restore %s brings it back\n", result.After.Status, memory.ShortID(result.After.ID))
		default:
			_, _ = fmt.Fprintln(w, "done")
		}
		p.memoryLine(w, result.After)
	})
}
