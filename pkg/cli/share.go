package cli

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// shareCommand makes memory share.
func shareCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "share", Usage: "share memories with others, or with your other machines", ArgsUsage: "[ID...]",
		Description: described("Each becomes a Markdown file in "+importer.SharedFolder+
			" of the project's repository; commit and push it. With --kind or --review: those that you stated or confirmed. Files of yours whose memory you have changed or forgotten since are deleted.",
			"memory share 3f9a1c", "memory share --kind convention", "memory share --review"),
		BashComplete: e.Complete(e.IDs(memory.StatusActive, true),
			map[string]completer{"kind": oneOf(memory.StatementKinds()...)}),
		Flags: []cli.Flag{
			kindsFlag(), &cli.BoolFlag{Name: "review", Usage: "ask about each"}, projectFlag(), jsonFlag(),
		},
		Action:      action(e, shareOptionsOf, shareFacts),
		Subcommands: []*cli.Command{withdrawCommand(e), authorCommand(e), syncCommand(e), moveCommand(e)},
	}
}

// shareOptions select the memories to share.
type shareOptions struct {
	sharedOptions
	ids    []string
	kinds  []memory.Kind
	review bool // ask about each
}

func shareOptionsOf(c *cli.Context) (o shareOptions, err error) {
	o.sharedOptions, o.ids, o.review = sharedOptionsOf(c), c.Args().Slice(), c.Bool("review")
	if o.kinds, err = kindsOf(c); err != nil {
		return o, err
	}
	if len(o.ids) > 0 == (len(o.kinds) > 0 || o.review) {
		return o, usagef("share which memories? give ids, or --kind KIND, or --review to be asked about each")
	}
	return o, checkIDs(o.ids)
}

// shareReport is the answer of share.
type shareReport struct {
	Author  string   `json:"author"`
	Written []string `json:"written"` // files, relative to the root
	There   int      `json:"there"`   // memories that were shared before
	Removed []string `json:"removed"` // files of memories that were changed or forgotten since
	Ignored bool     `json:"ignored"` // git leaves the files out
}

func shareFacts(ctx context.Context, e *environment, o shareOptions) error {
	where, who, err := sharing(ctx, e, o.Dir)
	if err != nil {
		return err
	}
	chosen, err := where.chosen(ctx, e, o)
	if err != nil {
		return err
	}
	report := shareReport{Author: who.Author, Written: []string{}, Removed: []string{}}
	files, err := where.encode(ctx, e, who, chosen, &report)
	if err != nil {
		return err
	}
	stale, err := where.stale(ctx, e, who)
	if err != nil {
		return err
	}
	written, err := where.write(files)
	if err != nil {
		return err
	}
	if err := where.remove(stale); err != nil {
		return err
	}
	report.There += len(files) - len(written)
	for _, name := range written {
		report.Written = append(report.Written, path.Join(importer.SharedFolder, name))
		report.Ignored = report.Ignored || where.git(ctx, "check-ignore", "--", path.Join(importer.SharedFolder, name)) != ""
	}
	slices.Sort(report.Written)
	for _, file := range stale {
		report.Removed = append(report.Removed, path.Join(importer.SharedFolder, file.Name))
	}
	return e.Print(ctx, o.JSON, report, func(w io.Writer) { printShared(w, report) })
}

func printShared(w io.Writer, r shareReport) {
	_, _ = fmt.Fprintf(w, "shared %s as %s", terminal.Counted(len(r.Written), "memory"), terminal.Printable(r.Author))
	if r.There > 0 {
		_, _ = fmt.Fprintf(w, ", %d shared before", r.There)
	}
	_, _ = fmt.Fprintln(w)
	for _, file := range r.Written {
		_, _ = fmt.Fprintf(w, "wrote %s\n", file)
	}
	for _, file := range r.Removed {
		_, _ = fmt.Fprintf(w, "removed %s: you have changed or forgotten that memory since\n", terminal.Printable(file))
	}
	if len(r.Written)+len(r.Removed) > 0 {
		_, _ = fmt.Fprintf(w, "To hand it to the others: git add %s && git commit, and push\n", importer.SharedFolder)
	}
	if r.Ignored {
		_, _ = fmt.Fprintf(w, "git ignores %s here (.gitignore): nobody else gets these files until it does not\n",
			importer.SharedFolder)
	}
}

// chosen are the memories that were asked for.
func (c shareFolder) chosen(ctx context.Context, e *environment, o shareOptions) ([]memory.Memory, error) {
	if len(o.ids) > 0 {
		found, err := c.memories(ctx, e, o.ids)
		for _, m := range found {
			if why := unshareable(m); why != "" {
				return nil, fmt.Errorf("memory %s %s; nothing was shared: %w", memory.ShortID(m.ID), why, memory.ErrInvalid)
			}
		}
		return found, err
	}
	filter := memory.Filter{
		Project: c.where.Key, Kinds: o.kinds, Statuses: []memory.Status{memory.StatusActive},
		Limit: everyRow,
	}
	var found []memory.Memory
	if err := e.Agent.Call(ctx, agentapi.MethodMemories.Call(filter, &found)); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found, func(m memory.Memory) bool {
		return unshareable(m) != "" || !isAccepted(m) || o.review && len(c.of(m.Content)) == 0 &&
			!e.IsYes(fmt.Sprintf("Share this %s: %s", m.Kind, terminal.Printable(m.Content)))
	}), nil
}

// isAccepted reports whether the user has stated or confirmed a memory.
func isAccepted(m memory.Memory) bool {
	return m.IsUsersWord() || slices.Contains(m.Tags, memory.TagConfirmed)
}

// unshareable returns why a memory is not for others; empty if it can be shared.
func unshareable(m memory.Memory) string {
	switch {
	case m.Author != "":
		return "is shared by " + terminal.Printable(m.Author)
	case m.Scope == memory.ScopeUser:
		return "is yours in every project: remember it for this one first"
	case m.Scope != memory.ScopeProject:
		return "is one session's: memory edit " + memory.ShortID(m.ID) + " --scope project widens it"
	case m.Status != memory.StatusActive:
		return "is " + string(m.Status)
	case !importer.Shareable(m.Kind):
		return fmt.Sprintf("is of the kind %s, a record of a session", m.Kind)
	}
	return ""
}

// encode are the files of memories that the author has not shared yet. One secret blocks
// all.
func (c shareFolder) encode(
	ctx context.Context, e *environment, who shareAuthor, chosen []memory.Memory, report *shareReport,
) (map[string][]byte, error) {
	files := map[string][]byte{}
	commit := c.git(ctx, "rev-parse", "--verify", "--quiet", "HEAD")
	for _, m := range chosen {
		if slices.ContainsFunc(c.of(m.Content), func(f importer.SharedFile) bool { return f.Fact.Author == who.Author }) {
			report.There++
			continue
		}
		fact := importer.SharedFact{
			Kind: m.Kind, Content: m.Content, Files: m.Files, Author: who.Author,
			At: e.Now(), Commit: commit,
		}
		name, content := fact.Encode()
		if kinds := fact.Secrets(); len(kinds) > 0 {
			return nil, fmt.Errorf("%s would hold a secret of memory %s (%s), and nothing was shared: memory edit %[2]s --content TEXT words it anew, memory purge secrets removes it from all that is stored: %[4]w",
				path.Join(importer.SharedFolder, name), memory.ShortID(m.ID), strings.Join(kinds, ", "), memory.ErrInvalid)
		}
		if _, err := importer.ReadShared(content); err != nil { // the others would hold it back
			return nil, fmt.Errorf("memory %s cannot be shared: %w", memory.ShortID(m.ID), err)
		}
		files[name] = content
	}
	return files, nil
}

// stale are the author's files whose memory has been changed or forgotten here since.
func (c shareFolder) stale(ctx context.Context, e *environment, who shareAuthor) ([]importer.SharedFile, error) {
	var stale []importer.SharedFile
	for _, file := range c.files {
		if file.Refused != nil || file.Fact.Author != who.Author {
			continue
		}
		id := file.Fact.Memory(memory.Project{Key: c.where.Key}).ID
		var found []memory.Memory
		if err := e.Agent.Call(ctx, agentapi.MethodGet.Call(agentapi.GetParams{
			Project: c.where.Key,
			IDs:     []string{id},
		}, &found)); err != nil {
			return nil, err
		}
		if len(found) == 1 && found[0].Author == "" && found[0].Status == memory.StatusArchived {
			stale = append(stale, file)
		}
	}
	return stale, nil
}
