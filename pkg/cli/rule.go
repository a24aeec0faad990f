package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/ruleblock"
)

func ruleCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "rule", Usage: "write memories into the project's CLAUDE.md, for everybody", ArgsUsage: "ID...",
		Description: described("Each memory becomes a line in a marked block of the file, where git, reviewers and all agents see it. Where the client loads the file anyway, the memory is not put into the context a second time.",
			"memory rule 3f9a1c", "memory rule --agents 3f9a1c", "memory rule --off 3f9a1c"),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "agents", Usage: "write into AGENTS.md instead"},
			&cli.BoolFlag{Name: "off", Usage: "remove the lines of these memories"},
		},
		Action: inProject(e, writeRules),
	}
}

// ruleReport is the output of memory rule for one file.
type ruleReport struct {
	File    string   `json:"file"`    // relative to the project's root
	Written []string `json:"written"` // the new lines
	There   []string `json:"there"`   // ids of memories that the file already had
	Removed []string `json:"removed"` // ids of memories whose lines were removed
}

// agentsFile has the rules for coding agents other than Claude Code.
const agentsFile = "AGENTS.md"

func writeRules(c *cli.Context, e *environment, where project.Project) error {
	ids, err := someIDs(c)
	if err != nil {
		return err
	}
	files, reports := ruleFiles, []ruleReport(nil)
	if c.Bool("agents") {
		files = []string{agentsFile}
	}
	if c.Bool("off") {
		reports, err = dropRules(where, ids, files)
	} else {
		reports, err = addRules(c.Context, e, where, ids, files)
	}
	if err != nil {
		return err
	}
	return e.Print(reports, func(w io.Writer) {
		for _, report := range reports {
			printRules(w, report)
		}
	})
}

func printRules(w io.Writer, r ruleReport) {
	for _, line := range r.Written {
		_, _ = fmt.Fprintf(w, "wrote to %s: %s\n", r.File, terminal.Printable(line))
	}
	for _, id := range r.There {
		_, _ = fmt.Fprintf(w, "%s has %s already\n", r.File, id)
	}
	for _, id := range r.Removed {
		_, _ = fmt.Fprintf(w, "removed %s from %s\n", id, r.File)
	}
	if len(r.Written)+len(r.Removed) > 0 {
		_, _ = fmt.Fprintf(w, "commit %s to share this change with others\n", r.File)
	}
}

func addRules(ctx context.Context, e *environment, where project.Project, ids, names []string) ([]ruleReport, error) {
	var chosen []memory.Memory
	for _, id := range ids {
		one, err := shownOf(ctx, e, where, daemonapi.ExplainParams{Project: where.Key, Root: where.Root, ID: id})
		if err != nil {
			return nil, err
		}
		if why := noRule(one.Memory); why != "" {
			return nil, fmt.Errorf("memory %s %s; nothing was written: %w", memory.ShortID(one.ID), why, memory.ErrInvalid)
		}
		chosen = append(chosen, one.Memory)
	}
	file, err := openRules(where.Root, names)
	if err != nil {
		return nil, err
	}
	report := ruleReport{File: file.name, Written: []string{}, There: []string{}, Removed: []string{}}
	for _, m := range chosen {
		if file.text.Add(m) {
			report.Written = append(report.Written, ruleblock.FormatRule(m.Content))
		} else {
			report.There = append(report.There, memory.ShortID(m.ID))
		}
	}
	if len(report.Written) > 0 {
		err = file.write()
	}
	return []ruleReport{report}, err
}

// noRule returns the reason why a memory cannot be a rule, or "".
func noRule(m memory.Memory) string {
	_, found := redact.Text(m.Content)
	switch {
	case m.Status == memory.StatusArchived:
		return "is archived: memory restore " + memory.ShortID(m.ID) + " brings it back"
	case !m.IsRecallable():
		return "is " + string(m.Status)
	case m.Kind == memory.KindTodo:
		return "is a todo, and no rule: memory edit " + memory.ShortID(m.ID) + " --kind convention makes it one"
	case !m.Kind.IsUserAuthored() && m.Kind != memory.KindFix && m.Kind != memory.KindDiscovery:
		return fmt.Sprintf("is of the kind %s, a record of a session", m.Kind)
	case found.Count() > 0:
		return "has a secret or text in <private>: memory edit " + memory.ShortID(m.ID) + " --content TEXT words it anew"
	}
	return ""
}

func dropRules(where project.Project, ids, names []string) ([]ruleReport, error) {
	var reports []ruleReport
	left := slices.Clone(ids)
	all, err := openEach(where.Root, names)
	if err != nil {
		return nil, err
	}
	var files []*rulesFile
	for _, file := range all {
		removed, err := file.text.Remove(ids)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.name, err)
		}
		left = slices.DeleteFunc(left, func(id string) bool {
			return slices.ContainsFunc(removed, func(has string) bool { return strings.HasPrefix(has, id) || strings.HasPrefix(id, has) })
		})
		if len(removed) > 0 {
			files = append(files, file)
			reports = append(reports, ruleReport{File: file.name, Written: []string{}, There: []string{}, Removed: removed})
		}
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("no rule in %s has the id %s, so nothing was removed; each rule ends with its id: %w", strings.Join(names, " or "), left[0], memory.ErrNotFound)
	}
	for _, file := range files {
		if err := file.write(); err != nil {
			return nil, err
		}
	}
	return reports, nil
}

// ruleFiles are the files that may have the rules. The first one that exists is written, or else the first is created.
var ruleFiles = []string{"CLAUDE.md", ".claude/CLAUDE.md", agentsFile}

// openEach opens the named files as openRules does, each once, even if one name is a link to another. It also returns the files
// that it could open if it fails for others.
func openEach(root string, names []string) (files []*rulesFile, err error) {
	for _, name := range names {
		file, failed := openRules(root, []string{name})
		isSame := func(other *rulesFile) bool { return other.path == file.path }
		if err = errors.Join(err, failed); failed == nil && !slices.ContainsFunc(files, isSame) {
			files = append(files, file)
		}
	}
	return files, err
}

// namedRules returns the rules of a project for which the parameter is returns true, each with its file and line. It
// skips files that cannot be read, and returns none if the project's folder is unknown or does not answer in time.
func namedRules(root string, is func(ruleblock.Rule) bool) (named []string) {
	if root == "" {
		return nil
	}
	found := make(chan []*rulesFile, 1)
	go func() {
		files, _ := openEach(root, ruleFiles)
		found <- files
	}()
	var files []*rulesFile
	select {
	case files = <-found:
	case <-time.After(time.Second):
	}
	for _, file := range files {
		for _, rule := range file.text.Rules() {
			if is(rule) {
				named = append(named, fmt.Sprintf("“%s” in %s, line %d", terminal.Printable(rule.Text), terminal.Printable(file.path), rule.Line))
			}
		}
	}
	return named
}

type rulesFile struct {
	name string // relative to the project's root
	path string // absolute path, with links resolved
	mode fs.FileMode
	text ruleblock.Text
}

// openRules reads the first of the named files that exists, because a new CLAUDE.md would keep a client from loading
// an existing AGENTS.md. If none exists, it prepares the first. It fails with memory.ErrInvalid for a file that is
// outside the project, too large, not regular or not UTF-8, or has a broken block.
func openRules(root string, names []string) (*rulesFile, error) {
	name := names[0]
	for _, one := range names {
		if _, err := os.Lstat(filepath.Join(root, one)); err == nil {
			name = one
			break
		}
	}
	file := &rulesFile{name: name, mode: 0o644}
	text, err := file.read(root)
	if err == nil {
		file.text, err = ruleblock.Parse(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: nothing was changed: %w", filepath.Join(root, name), err)
	}
	return file, nil
}

// maxRulesBytes is the maximum size of an instruction file, in bytes.
const maxRulesBytes = 1 << 20

// read sets path and mode, and returns the text, "" if the file does not exist.
func (f *rulesFile) read(root string) (string, error) {
	f.path = filepath.Join(root, f.name)
	if _, err := os.Lstat(f.path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	resolved, err := filepath.EvalSymlinks(f.path)
	if err != nil {
		return "", fmt.Errorf("it cannot be read, or is a link that leads nowhere: %w", err)
	}
	if below, err := filepath.Rel(project.Resolved(root), resolved); err != nil || !filepath.IsLocal(below) {
		return "", fmt.Errorf("it is a link that leads out of the project: %w", memory.ErrInvalid)
	}
	f.path = resolved
	info, err := os.Stat(resolved)
	if err != nil {
		return "", err
	}
	f.mode = info.Mode().Perm()
	text, _, err := importer.ReadFile(resolved, maxRulesBytes)
	if err == nil && (!utf8.Valid(text) || slices.Contains(text, 0)) {
		err = fmt.Errorf("it is not UTF-8 text: %w", memory.ErrInvalid)
	}
	return string(text), err
}

// write replaces the file. It removes an empty file, because an empty CLAUDE.md keeps a client from loading AGENTS.md.
func (f *rulesFile) write() error {
	text := f.text.String()
	if text == "" {
		return os.Remove(f.path)
	}
	if err := atomicfile.Write(f.path, f.mode, []byte(text)); err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	return nil
}
