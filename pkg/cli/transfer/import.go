package transfer

import (
	"cmp"
	"context"
	"iter"
	"math"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Import makes memory import.
func Import(e *command.Env) *cli.Command {
	dry := &cli.BoolFlag{Name: "dry-run", Usage: "only count; nothing is stored"}
	dir := &cli.StringFlag{Name: "project", Usage: "`DIR` of the project that it is about", DefaultText: "as the source says"}
	of := &cli.StringSliceFlag{Name: "map", Usage: "`NAME=DIR`: where the project lies that claude-mem calls NAME; may be repeated"}
	user := &cli.BoolFlag{Name: "user", Usage: "for all projects, as preferences of the user"}
	mine := &cli.BoolFlag{Name: "mine", Usage: "it is your own: its statements of yours count as your words"}
	from := &cli.StringFlag{Name: "client", Usage: "`NAME` of the client whose transcripts they are, as memory clients lists it", DefaultText: "Claude Code"}
	again := &cli.BoolFlag{Name: "again", Usage: "also sessions that were imported before, or that hooks have captured"}
	return &cli.Command{Name: "import", Usage: "import memories of other programs", Subcommands: []*cli.Command{
		{
			Name: "claude-mem", Usage: "the database of claude-mem", ArgsUsage: "[FILE]",
			Description: command.Described("", "memory import claude-mem --dry-run", "memory import claude-mem --map website=~/src/website"),
			Flags:       []cli.Flag{dir, of, dry, command.JSONFlag()}, Action: command.Action(e, importOptionsOf(0, 1, "import one database of claude-mem at a time"), importClaudeMem),
		},
		{
			Name: "auto-memory", Usage: "Claude Code's own memory folders: all, or those named", ArgsUsage: "[FOLDER...]",
			Description: command.Described("", "memory import auto-memory --dry-run"),
			Flags:       []cli.Flag{dir, dry, command.JSONFlag()}, Action: command.Action(e, importOptionsOf(0, many, ""), importAutoMemory),
		},
		{
			Name: "claude-md", Usage: "CLAUDE.md files, as pinned conventions", ArgsUsage: "FILE...",
			Description: command.Described("", "memory import claude-md CLAUDE.md", "memory import claude-md --user ~/.claude/CLAUDE.md"),
			Flags:       []cli.Flag{dir, user, dry, command.JSONFlag()}, Action: command.Action(e, importOptionsOf(1, many, "import which CLAUDE.md? name the file; none is imported by itself"), importClaudeMD),
		},
		{
			Name: "transcripts", Usage: "past sessions, from the client's transcripts; may be interrupted", ArgsUsage: "[FOLDER]",
			Description: command.Described("", "memory import transcripts --dry-run", "memory import transcripts", "memory import transcripts --client codex"),
			Flags:       []cli.Flag{from, again, mine, dry, command.JSONFlag()}, Action: command.Action(e, importOptionsOf(0, many, ""), importTranscripts),
		},
		{
			Name: "export", Usage: "a file that memory export made", ArgsUsage: "FILE",
			Description: command.Described("Anybody can write such a file, so its memories count as imported, whatever source it gives, and memories for all projects are left out. For an export of your own, --mine keeps all as it was.",
				"memory import export --mine memories.jsonl", "memory import export from-a-colleague.jsonl"),
			Flags: []cli.Flag{mine, dry, command.JSONFlag()}, Action: command.Action(e, importOptionsOf(1, 1, "import which export? name one file"), importExport),
		},
		{
			Name: "markdown", Usage: "take over people's changes in a folder that memory export --markdown wrote", ArgsUsage: "FOLDER",
			Description: command.Described("A new bullet is a new memory. It counts as imported, because anybody can write such a file. With --mine it counts as your words, and another text corrects the memory; the old text is archived. A bullet that is gone changes nothing: memory forget archives a memory.",
				"memory import markdown --mine --dry-run ~/vault/memory", "memory import markdown --mine ~/vault/memory"),
			Flags: []cli.Flag{mine, dry, command.JSONFlag()}, Action: command.Action(e, importOptionsOf(1, 1, "import which folder? name the one that memory export --markdown wrote"), importNotes),
		},
	}}
}

// importOptions are those of all imports; each has some of them.
type importOptions struct {
	command.Shared
	sources []string // files or folders; none are the usual ones
	client  string   // whose transcripts; empty is Claude Code
	dryRun  bool
	again   bool                     // also sessions that were imported before, or that hooks have captured
	mine    bool                     // it is the user's own
	user    bool                     // for all projects
	dirOf   func(name string) string // the directory that was given for a name of claude-mem's, or ""
}

const many = math.MaxInt

// importOptionsOf reads them for an import that takes at least and at most so many sources; wrong is told of another number.
func importOptionsOf(least, most int, wrong string) func(*cli.Context) (importOptions, error) {
	return func(c *cli.Context) (o importOptions, err error) {
		o = importOptions{
			Shared: command.SharedOf(c), sources: c.Args().Slice(), client: c.String("client"),
			dryRun: c.Bool("dry-run"), again: c.Bool("again"), mine: c.Bool("mine"), user: c.Bool("user"),
		}
		if n := len(o.sources); n < least || n > most {
			return o, command.Usagef("%s", wrong)
		}
		if _, known := client.Named(o.client); o.client != "" && !known {
			return o, command.Usagef("--client %q: memory clients lists those that are known", o.client)
		}
		if info, err := os.Stat(o.Dir); o.Dir != "" && (err != nil || !info.IsDir()) {
			return o, command.Usagef("--project %q is no directory", o.Dir)
		}
		o.dirOf, err = mapped(c.StringSlice("map"), o.Dir)
		return o, err
	}
}

// source is the named source; empty is the usual one.
func (o importOptions) source() string {
	if len(o.sources) == 0 {
		return ""
	}
	return o.sources[0]
}

// mapped tells which directory the user gave for a name of claude-mem's, or for all.
func mapped(pairs []string, all string) (func(name string) string, error) {
	given := map[string]string{}
	for _, pair := range pairs {
		name, dir, found := strings.Cut(pair, "=")
		if info, err := os.Stat(dir); !found || name == "" || err != nil || !info.IsDir() {
			return nil, command.Usagef("--map %q: write NAME=DIR with a directory that is there", pair)
		}
		given[name] = dir
	}
	return func(name string) string { return cmp.Or(given[name], all) }, nil
}

// carry imports all of a source and reports that; total is its size.
func (o importOptions) carry(ctx context.Context, e *command.Env, r importReport, what string, total int, source iter.Seq2[importer.Bundle, error]) error {
	writer, err := importWriter(ctx, e, o.dryRun)
	if err != nil {
		return err
	}
	bar := e.Bar(total, what)
	defer func() { _ = bar.Close() }()
	if err := writer.Take(ctx, source, func(size int64) { _ = bar.Add64(size) }); err != nil {
		return err
	}
	_ = bar.Finish()
	r.DryRun, r.Report = o.dryRun, writer.Report()
	return printImported(ctx, e, o.Shared, r)
}

// carryEvents imports events that were read already.
func (o importOptions) carryEvents(ctx context.Context, e *command.Env, r importReport, events []memory.Event) error {
	return o.carry(ctx, e, r, "files", len(events), func(yield func(importer.Bundle, error) bool) {
		yield(importer.Bundle{Events: events, Size: int64(len(events))}, nil)
	})
}
