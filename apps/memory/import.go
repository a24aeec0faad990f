package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer/claudemem"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
)

func (p *program) importCommand() *cli.Command {
	dry := &cli.BoolFlag{Name: "dry-run", Usage: "only count what there is; nothing is stored"}
	dir := &cli.StringFlag{Name: "project", Usage: "`DIR` of the project that it is about", DefaultText: "as the source tells"}
	of := &cli.StringSliceFlag{Name: "map", Usage: "`NAME=DIR`: where the project lies that claude-mem calls NAME; may be repeated"}
	user := &cli.BoolFlag{Name: "user", Usage: "for all projects, as preferences of the user"}
	again := &cli.BoolFlag{Name: "again", Usage: "also sessions that were imported before, or that hooks have captured"}
	return &cli.Command{Name: "import", Usage: "take over what was remembered elsewhere", Subcommands: []*cli.Command{
		{
			Name: "claude-mem", Usage: "the database of claude-mem", ArgsUsage: "[FILE]",
			Description: described("", "memory import claude-mem --dry-run", "memory import claude-mem --map website=~/src/website"),
			Flags:       []cli.Flag{dir, of, dry, jsonFlag()}, Action: p.importClaudeMem,
		},
		{
			Name: "auto-memory", Usage: "Claude Code's own memory folders: all, or those named", ArgsUsage: "[FOLDER...]",
			Description: described("", "memory import auto-memory --dry-run"),
			Flags:       []cli.Flag{dir, dry, jsonFlag()}, Action: p.importAutoMemory,
		},
		{
			Name: "claude-md", Usage: "CLAUDE.md files, as pinned conventions", ArgsUsage: "FILE...",
			Description: described("", "memory import claude-md CLAUDE.md", "memory import claude-md --user ~/.claude/CLAUDE.md"),
			Flags:       []cli.Flag{dir, user, dry, jsonFlag()}, Action: p.importClaudeMD,
		},
		{
			Name: "transcripts", Usage: "past sessions, from the client's transcripts; may be interrupted", ArgsUsage: "[FOLDER]",
			Description: described("", "memory import transcripts --dry-run", "memory import transcripts"),
			Flags:       []cli.Flag{again, dry, jsonFlag()}, Action: p.importTranscripts,
		},
		{
			Name: "export", Usage: "a file that memory export made", ArgsUsage: "FILE",
			Description: described("", "memory import export memories.jsonl"),
			Flags:       []cli.Flag{dry, jsonFlag()}, Action: p.importExport,
		},
	}}
}

// imported is what an import reports.
type imported struct {
	DryRun bool `json:"dry_run,omitempty"`
	importer.Report
	Transcripts *importer.SessionsReport `json:"transcripts,omitempty"`
	Export      *importer.DecodeReport   `json:"export,omitempty"`
	Folders     []string                 `json:"folders_without_project,omitempty"`
	Unplaced    []string                 `json:"projects_without_place,omitempty"`
}

func (p *program) printImported(c *cli.Context, r imported) error {
	return p.print(c, r, func(w io.Writer) {
		verb := "imported"
		if r.DryRun {
			verb = "would import"
		}
		_, _ = fmt.Fprintf(w, "%s %s, %s, %s of %s\n", verb, counted(r.Memories, "memory"), counted(r.Prompts, "prompt"), counted(r.Summaries, "summary"), counted(r.Sessions, "session"))
		if !r.DryRun {
			_, _ = fmt.Fprintf(w, "new: %s\n", counted(r.Added, "memory"))
		}
		note(w, r.Off, "event", "of projects that are off")
		if r.Refused > 0 {
			_, _ = fmt.Fprintf(w, "refused: %d: %s\n", r.Refused, printable(strings.Join(r.Reasons, "; ")))
		}
		if t := r.Transcripts; t != nil {
			_, _ = fmt.Fprintf(w, "%s read, %d had been imported before\n", counted(t.Files, "transcript"), t.Unchanged)
			note(w, t.Captured, "session", "left to what hooks captured (--again imports them, too)")
			note(w, t.Off, "transcript", "of projects that are off")
			note(w, t.Nowhere, "transcript", "without the directory of the session")
			note(w, t.LongLines, "line", "too long to be read")
			note(w, t.BrokenLines, "broken line", "passed over, the first is "+printable(t.FirstBroken))
		}
		if e := r.Export; e != nil {
			note(w, e.Broken, "broken line", fmt.Sprintf("passed over, the first is line %d", e.FirstBroken))
		}
		for _, key := range r.Unplaced {
			_, _ = fmt.Fprintf(w, "no place: %s: memory projects merge makes it a part of the project that it is\n", printable(key))
		}
		for _, folder := range r.Folders {
			_, _ = fmt.Fprintf(w, "left out: %s: no transcript beside it tells its project; name it with --project DIR\n", printable(folder))
		}
	})
}

func note(w io.Writer, n int, one, what string) {
	if n > 0 {
		_, _ = fmt.Fprintln(w, counted(n, one)+" "+what)
	}
}

// importWriter sends to the agent, starting it if it is not there, or only counts.
func (p *program) importWriter(c *cli.Context) (*importer.Writer, error) {
	isOff := p.offProjects()
	if c.Bool("dry-run") {
		return &importer.Writer{IsOff: isOff}, nil
	}
	if _, err := p.startAgent(c.Context); err != nil {
		return nil, err
	}
	return &importer.Writer{IsOff: isOff, Send: func(ctx context.Context, events []memory.Event) (agentapi.ImportResult, error) {
		var result agentapi.ImportResult
		err := p.callWithin(ctx, longTime, agentapi.MethodImport, agentapi.ImportParams{Events: events}, &result)
		return result, err
	}}, nil
}

// offProjects tells which projects are off, looking for each once.
func (p *program) offProjects() func(memory.Project) bool {
	known := map[string]bool{}
	return func(where memory.Project) bool {
		isOff, isKnown := known[where.Key]
		if !isKnown {
			root := cmp.Or(where.Root, p.paths.Home) // of claude-mem's projects the place may not be known
			isOff = project.Project{Key: where.Key, Root: root}.IsOff(p.paths.OffMark(where.Key))
			known[where.Key] = isOff
		}
		return isOff
	}
}

// importState is what is kept between two imports.
func (p *program) importState() (*importer.State, error) {
	return importer.LoadState(p.paths.Imports())
}

// clientDir is the directory of the client's settings.
func (p *program) clientDir() string {
	return cmp.Or(p.getenv("CLAUDE_CONFIG_DIR"), filepath.Join(p.getenv("HOME"), ".claude"))
}

func (p *program) transcriptsDir() string { return filepath.Join(p.clientDir(), "projects") }

// place is a project as an event has it.
func place(where project.Project) memory.Project {
	return memory.Project{Key: where.Key, Name: where.Name, Root: where.Root}
}

func (p *program) placeOf(dir string) (memory.Project, error) {
	where, err := p.identify(dir)
	if where.Key == "" {
		return memory.Project{}, fmt.Errorf("find the project of %s: %w", dir, err)
	}
	return place(where), nil
}

func (p *program) importClaudeMem(c *cli.Context) error {
	if c.Args().Len() > 1 {
		return usagef("import one database of claude-mem at a time")
	}
	given, err := mapped(c)
	if err != nil {
		return err
	}
	file := cmp.Or(c.Args().First(), p.claudeMemFile())
	database, err := claudemem.Open(c.Context, file)
	if err != nil {
		return err
	}
	defer func() { _ = database.Close() }()
	state, err := p.importState()
	if err != nil {
		return err
	}
	projects, err := p.claudeMemProjects(c.Context, database, state, given)
	if err != nil {
		return err
	}
	counts, err := database.Counts(c.Context)
	if err != nil {
		return err
	}
	writer, err := p.importWriter(c)
	if err != nil {
		return err
	}
	if writer.Send != nil { // before the first row: an import that is interrupted goes on with the same projects
		state.Projects = projects
		if err := state.Save(); err != nil {
			return err
		}
	}
	bar := p.bar(counts.Rows(), "claude-mem")
	defer func() { _ = bar.Close() }()
	for bundle, err := range database.Sessions(c.Context, func(name string) memory.Project { return claudeMemProject(projects, name) }) {
		if err != nil {
			return err
		}
		if err := writer.Put(c.Context, bundle.Events...); err != nil {
			return err
		}
		_ = bar.Add(bundle.Rows)
	}
	if err := writer.Flush(c.Context); err != nil {
		return err
	}
	_ = bar.Finish()
	return p.printImported(c, imported{DryRun: writer.Send == nil, Report: writer.Report(), Unplaced: unplaced(projects)})
}

// unplaced lists the projects of claude-mem's whose directory is not known.
func unplaced(projects map[string]memory.Project) []string {
	var keys []string
	for name, where := range projects {
		if where == claudeMemProject(nil, name) {
			keys = append(keys, where.Key)
		}
	}
	slices.Sort(keys)
	return keys
}

// claudeMemFile is where claude-mem keeps its database.
func (p *program) claudeMemFile() string {
	dir := cmp.Or(p.getenv("CLAUDE_MEM_DATA_DIR"), filepath.Join(p.getenv("HOME"), ".claude-mem"))
	return filepath.Join(dir, "claude-mem.db")
}

// claudeMemProjects finds which project each name stands for: as the user says,
// as it was at an earlier import, or as the transcripts of its sessions tell.
func (p *program) claudeMemProjects(
	ctx context.Context, database *claudemem.Database, state *importer.State, given func(name string) (dir string),
) (map[string]memory.Project, error) {
	named, err := database.Projects(ctx)
	if err != nil {
		return nil, err
	}
	projects := state.Projects
	for _, one := range named {
		dir := given(one.Name)
		if _, known := projects[one.Name]; dir == "" && !known {
			dir = p.sessionsDir(one.Sessions)
		}
		if dir == "" {
			projects[one.Name] = claudeMemProject(projects, one.Name)
			continue
		}
		if projects[one.Name], err = p.placeOf(dir); err != nil {
			return nil, err
		}
	}
	return projects, nil
}

// mapped tells which directory the user gave for a name of claude-mem's.
func mapped(c *cli.Context) (func(name string) string, error) {
	all, err := existing(c, "project")
	if err != nil {
		return nil, err
	}
	given := map[string]string{}
	for _, pair := range c.StringSlice("map") {
		name, dir, found := strings.Cut(pair, "=")
		if info, err := os.Stat(dir); !found || name == "" || err != nil || !info.IsDir() {
			return nil, usagef("--map %q: write NAME=DIR with a directory that is there", pair)
		}
		given[name] = dir
	}
	return func(name string) string { return cmp.Or(given[name], all) }, nil
}

// existing is the directory that a flag gives, or "".
func existing(c *cli.Context, flag string) (string, error) {
	dir := c.String(flag)
	if info, err := os.Stat(dir); dir != "" && (err != nil || !info.IsDir()) {
		return "", usagef("--%s %q is no directory", flag, dir)
	}
	return dir, nil
}

func (p *program) sessionsDir(sessions []string) string {
	for _, session := range sessions {
		if dir := importer.DirOfSession(p.transcriptsDir(), session); dir != "" {
			return dir
		}
	}
	return ""
}

// claudeMemProject is the project of a name. One whose place is not known keeps
// its name, and can be merged into another later.
func claudeMemProject(projects map[string]memory.Project, name string) memory.Project {
	if where, known := projects[name]; known {
		return where
	}
	return memory.Project{Key: "claude-mem/" + name, Name: name}
}

func (p *program) importAutoMemory(c *cli.Context) error {
	folders := c.Args().Slice()
	if len(folders) == 0 {
		found, err := filepath.Glob(filepath.Join(p.transcriptsDir(), "*", "memory"))
		if err != nil {
			return fmt.Errorf("find the memory folders: %w", err)
		}
		folders = found
	}
	given, err := existing(c, "project")
	if err != nil {
		return err
	}
	var report imported
	var events []memory.Event
	for _, folder := range folders {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return fmt.Errorf("import %s: there is no such folder: %w", folder, memory.ErrNotFound)
		}
		dir := cmp.Or(given, importer.DirOfFolder(filepath.Dir(absolute(folder))))
		if dir == "" {
			report.Folders = append(report.Folders, folder)
			continue
		}
		where, err := p.placeOf(dir)
		if err != nil {
			return err
		}
		found, err := importer.AutoMemory(folder, where)
		if err != nil {
			return err
		}
		events = append(events, found...)
	}
	return p.importEvents(c, events, report)
}

func absolute(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil { // only when the working directory is gone
		return path
	}
	return abs
}

func (p *program) importClaudeMD(c *cli.Context) error {
	if c.Args().Len() == 0 {
		return usagef("import which CLAUDE.md? name the file; none is imported by itself")
	}
	given, err := existing(c, "project")
	if err != nil {
		return err
	}
	var events []memory.Event
	for _, file := range c.Args().Slice() {
		isUsers := c.Bool("user") || absolute(filepath.Dir(file)) == absolute(p.clientDir())
		where := memory.Project{}
		if !isUsers {
			if where, err = p.placeOf(cmp.Or(given, filepath.Dir(file))); err != nil {
				return err
			}
		}
		found, err := importer.ClaudeMD(file, where, isUsers)
		if err != nil {
			return fmt.Errorf("import %s: %w", file, err)
		}
		events = append(events, found...)
	}
	return p.importEvents(c, events, imported{})
}

func (p *program) importEvents(c *cli.Context, events []memory.Event, report imported) error {
	writer, err := p.importWriter(c)
	if err != nil {
		return err
	}
	if err := writer.Put(c.Context, events...); err != nil {
		return err
	}
	if err := writer.Flush(c.Context); err != nil {
		return err
	}
	report.DryRun, report.Report = writer.Send == nil, writer.Report()
	return p.printImported(c, report)
}

func (p *program) importTranscripts(c *cli.Context) error {
	transcripts, err := importer.Transcripts(cmp.Or(c.Args().First(), p.transcriptsDir()))
	if err != nil {
		return err
	}
	state, err := p.importState()
	if err != nil {
		return err
	}
	writer, err := p.importWriter(c)
	if err != nil {
		return err
	}
	total := int64(0)
	for _, t := range transcripts {
		total += t.Size
	}
	bar := p.bar(int(total), "transcripts")
	defer func() { _ = bar.Close() }()
	run := importer.TranscriptImport{
		State: state, Writer: writer, Known: p.knownSessions, ProjectOf: p.projectOfDir(), Again: c.Bool("again"),
		DryRun: writer.Send == nil, Advance: func(bytes int64) { _ = bar.Add64(bytes) },
	}
	result, err := run.Run(c.Context, transcripts)
	_ = bar.Finish()
	if errors.Is(err, context.Canceled) {
		err = fmt.Errorf("interrupted; the same command goes on from here: %w", err)
	}
	report := imported{DryRun: run.DryRun, Report: writer.Report(), Transcripts: &result}
	return errors.Join(p.printImported(c, report), err)
}

// knownSessions asks the agent, and knows nothing in a dry run without one.
func (p *program) knownSessions(ctx context.Context, ids []string) ([]memory.Session, error) {
	var known []memory.Session
	err := p.ask(ctx, agentapi.MethodKnownSessions, ids, &known)
	if errors.Is(err, agentapi.ErrNoAgent) {
		return nil, nil
	}
	return known, err
}

// projectOfDir finds projects, each directory once.
func (p *program) projectOfDir() func(string) (project.Project, bool) {
	type found struct {
		where project.Project
		isOff bool
	}
	known := map[string]found{}
	return func(dir string) (project.Project, bool) {
		one, isKnown := known[dir]
		if !isKnown {
			one.where, _ = p.identify(dir) // usable whatever is wrong with the repository
			one.isOff = one.where.IsOff(p.paths.OffMark(one.where.Key))
			known[dir] = one
		}
		return one.where, one.isOff
	}
}

func (p *program) importExport(c *cli.Context) error {
	if c.Args().Len() != 1 {
		return usagef("import which export? name one file")
	}
	f, err := os.Open(c.Args().First())
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("import %s: there is no such file: %w", c.Args().First(), memory.ErrNotFound)
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	decoder, err := importer.NewDecoder(f)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	writer, err := p.importWriter(c)
	if err != nil {
		return err
	}
	bar := p.bar(int(info.Size()), "export")
	defer func() { _ = bar.Close() }()
	for {
		event, size, err := decoder.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		_ = bar.Add64(size)
		if event.Import == nil { // a project, or a line that could not be read
			continue
		}
		if err := writer.Put(c.Context, event); err != nil {
			return err
		}
	}
	if err := writer.Flush(c.Context); err != nil {
		return err
	}
	_ = bar.Finish()
	return p.printImported(c, imported{DryRun: writer.Send == nil, Report: writer.Report(), Export: &decoder.Report})
}
