package cli

import (
	"cmp"
	"context"
	"iter"
	"math"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// importOptions are those of all imports; each has some of them.
type importOptions struct {
	sharedOptions
	sources []string // files or folders; none are the usual ones
	client  string   // whose transcripts; empty is Claude Code
	dryRun  bool
	again   bool                     // also sessions that were imported before, or that hooks have captured
	mine    bool                     // it is the user's own
	user    bool                     // for all projects
	dirOf   func(name string) string // the directory that was given for a name of claude-mem's, or ""
}

const anyNumber = math.MaxInt

// importOptionsOf reads the options of an import with a minimum and maximum number of sources; wrong is the error for
// other numbers.
func importOptionsOf(least, most int, wrong string) func(*cli.Context) (importOptions, error) {
	return func(c *cli.Context) (o importOptions, err error) {
		o = importOptions{
			sharedOptions: sharedOptionsOf(c), sources: c.Args().Slice(), client: c.String("client"),
			dryRun: c.Bool("dry-run"), again: c.Bool("again"), mine: c.Bool("mine"), user: c.Bool("user"),
		}
		if n := len(o.sources); n < least || n > most {
			return o, usagef("%s", wrong)
		}
		if _, known := client.Named(o.client); o.client != "" && !known {
			return o, usagef("--client %q: memory setup clients lists those that are known", o.client)
		}
		if info, err := os.Stat(o.Dir); o.Dir != "" && (err != nil || !info.IsDir()) {
			return o, usagef("--project %q is no directory", o.Dir)
		}
		o.dirOf, err = mappedNames(c.StringSlice("map"), o.Dir)
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

// mappedNames returns the directory that the user gave for a name of claude-mem's, or for all.
func mappedNames(pairs []string, all string) (func(name string) string, error) {
	given := map[string]string{}
	for _, pair := range pairs {
		name, dir, found := strings.Cut(pair, "=")
		if info, err := os.Stat(dir); !found || name == "" || err != nil || !info.IsDir() {
			return nil, usagef("--map %q: write NAME=DIR with a directory that is there", pair)
		}
		given[name] = dir
	}
	return func(name string) string { return cmp.Or(given[name], all) }, nil
}

// carry imports all of a source and reports that; total is its size.
func (o importOptions) carry(
	ctx context.Context, e *environment, r importReport, what string, total int, source iter.Seq2[importer.Bundle, error],
) error {
	writer, err := importWriter(ctx, e, o.dryRun)
	if err != nil {
		return err
	}
	bar := e.Bar(total, what)
	defer func() { _ = bar.Close() }()
	if err := writer.WriteAll(ctx, source, func(size int64) { _ = bar.Add64(size) }); err != nil {
		return err
	}
	_ = bar.Finish()
	r.DryRun, r.Report = o.dryRun, writer.Report()
	return printImported(ctx, e, o.sharedOptions, r)
}

// carryEvents imports events that were read already.
func (o importOptions) carryEvents(ctx context.Context, e *environment, r importReport, events []memory.Event) error {
	return o.carry(ctx, e, r, "files", len(events), func(yield func(importer.Bundle, error) bool) {
		yield(importer.Bundle{Events: events, Size: int64(len(events))}, nil)
	})
}
