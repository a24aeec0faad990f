package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// exportFileOptions say which export to read.
type exportFileOptions struct {
	command.Shared
	file   string
	dryRun bool
	mine   bool // the sources that it gives for its memories are believed
}

func exportFileOptionsOf(c *cli.Context) (exportFileOptions, error) {
	if c.Args().Len() != 1 {
		return exportFileOptions{}, command.Usagef("import which export? name one file")
	}
	return exportFileOptions{command.SharedOf(c), c.Args().First(), c.Bool("dry-run"), c.Bool("mine")}, nil
}

func importExport(ctx context.Context, e *command.Env, o exportFileOptions) error {
	if o.mine {
		if err := mayBeMine(e, o.file, "--mine"); err != nil {
			return err
		}
	}
	f, info, err := importer.Open(o.file)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("import %s: there is no such file: %w", o.file, memory.ErrNotFound)
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	decoder, err := importer.NewDecoder(f)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	decoder.Mine = o.mine
	writer, err := importWriter(ctx, e, o.dryRun)
	if err != nil {
		return err
	}
	bar := e.Bar(int(info.Size()), "export")
	defer func() { _ = bar.Close() }()
	if err := importRows(ctx, decoder, writer, func(size int64) { _ = bar.Add64(size) }); err != nil {
		return err
	}
	_ = bar.Finish()
	return printImported(ctx, e, o.Shared, importReport{DryRun: writer.Send == nil, Report: writer.Report(), Export: &decoder.Report})
}

// importRows imports the rows of an export, and tells how many bytes each had.
func importRows(ctx context.Context, decoder *importer.Decoder, writer *importer.Writer, read func(size int64)) error {
	for {
		event, size, err := decoder.Next()
		if errors.Is(err, io.EOF) {
			return writer.Flush(ctx)
		}
		if err != nil {
			return err
		}
		read(size)
		if event.Import == nil { // a project, or a line that could not be read
			continue
		}
		if err := writer.Put(ctx, event); err != nil {
			return err
		}
	}
}
