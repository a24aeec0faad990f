package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/mailbox"
)

// syncCommand returns the command "memory sync".
func syncCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "sync", Usage: "exchange memories between your own machines through a git repository",
		Description: described("Everything in the repository is encrypted with a key that stays on your machines. The first machine creates the key and prints its path; copy this file to the other machines. Set up once on each machine: then the daemon exchanges when a session starts or has ended.",
			"memory sync --git git@example.org:me/memory.git",
			"memory sync --git git@example.org:me/memory.git --key key.txt", "memory sync"),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "git", Usage: "`URL` of the repository", DefaultText: "the last one used"},
			&cli.StringFlag{Name: "key", Usage: "use the key in `FILE`, copied from another machine"},
			&cli.BoolFlag{Name: "off", Usage: "stop exchanging; the key, the letters and the memories stay"},
		},
		Action: action(e, syncOptionsOf, syncMachines),
	}
}

// syncOptions describe the exchange.
type syncOptions struct {
	address string // URL of the git repository; empty for the last one used
	key     string // file with another machine's key; empty for this machine's key
	off     bool   // end the exchange
}

func syncOptionsOf(c *cli.Context) (syncOptions, error) {
	o := syncOptions{c.String("git"), c.String("key"), c.Bool("off")}
	switch {
	case c.Args().Present():
		return o, usagef("sync takes no arguments: memory sync --git URL names the repository")
	case o.off && o.address+o.key != "":
		return o, usagef("--off stops exchanging: give it alone")
	}
	return o, nil
}

func syncMachines(ctx context.Context, e *environment, o syncOptions) error {
	if o.off {
		return mailbox.End(e.Paths.Sync())
	}
	before, _ := mailbox.LastOf(e.Paths.Sync())
	exchange := mailbox.Exchange{
		Dir: e.Paths.Sync(),
		Export: func(ctx context.Context, w io.Writer) error {
			_, err := exportTo(ctx, e, w, "")
			return err
		},
		Import: func(ctx context.Context, letter []byte) (mailbox.Imported, error) {
			return importLetter(ctx, e, letter)
		},
	}
	report, err := exchange.Run(ctx, o.address, o.key)
	if err != nil {
		return err
	}
	return e.Print(report, func(w io.Writer) {
		printSync(w, report)
		if before.At.IsZero() {
			_, _ = fmt.Fprintln(w, "From now on the daemon exchanges by itself when a session starts or has ended; memory sync --off stops it")
		}
	})
}

// syncState returns when this machine last exchanged memories with the others, or why it could not, as text.
func syncState(e *environment, last mailbox.Last) string {
	exchanged := "never exchanged with your other machines"
	if !last.At.IsZero() {
		exchanged = "last exchanged with your other machines " + e.When(last.At)
	}
	if last.FailedAt.IsZero() {
		return exchanged
	}
	return fmt.Sprintf("failed %s: %s; %s", e.When(last.FailedAt), terminal.Printable(last.Reason), exchanged)
}

func printSync(w io.Writer, r mailbox.Report) {
	_, _ = fmt.Fprintf(w, "received %s from %s, sent %s\n", terminal.Counted(r.Added, "new memory"),
		terminal.Counted(r.Letters, "letter"), terminal.Counted(r.Sent, "row"))
	importNote(w, r.Refused, "row", "refused, which can never be stored")
	for _, one := range r.Unreadable {
		_, _ = fmt.Fprintf(w, "left out: letter %s: %s\n", one.Letter, terminal.Printable(one.Reason))
	}
	if r.NewKey {
		_, _ = fmt.Fprintf(w,
			"The key is in %s. Copy it to your other machines (memory sync --git URL --key FILE) and to a safe place: without it nobody reads the repository\n", r.Key)
	}
}

// importLetter imports a letter from another machine of the user's; its rows count as the user's own.
func importLetter(ctx context.Context, e *environment, letter []byte) (mailbox.Imported, error) {
	decoder, err := importer.NewDecoder(bytes.NewReader(letter))
	if err != nil {
		return mailbox.Imported{}, err
	}
	decoder.Mine = true
	writer, err := importWriter(ctx, e, false)
	if err != nil {
		return mailbox.Imported{}, err
	}
	if err := writer.WriteAll(ctx, decoder.Bundles(), func(int64) {}); err != nil {
		return mailbox.Imported{}, err
	}
	report := writer.Report()
	return mailbox.Imported{Added: report.Added, Refused: report.Refused + decoder.Report.Broken}, nil
}
