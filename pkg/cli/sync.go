package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/mailbox"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
)

func syncCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "sync", Usage: "exchange memories between your own machines through a git repository",
		Description: described("Everything in the repository is encrypted with a key that stays on your machines. The first machine creates a key file and prints where it is: copy it to your other machines, and run memory sync --git URL --key FILE there once. From then on the daemon exchanges when a session starts and after it has ended.",
			"memory sync --git git@example.org:me/memory.git",
			"memory sync --git git@example.org:me/memory.git --key key.txt", "memory sync"),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "git", Usage: "`URL` of the repository", DefaultText: "the last one used"},
			&cli.StringFlag{Name: "key", Usage: "use the key in `FILE`, copied from another machine"},
			&cli.BoolFlag{Name: "off", Usage: "stop exchanging; the key, the repository and the memories stay"},
		},
		Action: with(e, syncMachines),
	}
}

func syncMachines(c *cli.Context, e *environment) error {
	if c.Bool("off") {
		if c.NumFlags() > 1 {
			return usagef("--off stops exchanging: give it alone")
		}
		if err := mailbox.Disconnect(e.Paths.Sync()); err != nil {
			return err
		}
		return e.Print(map[string]string{"sync": "off"}, func(w io.Writer) {
			_, _ = fmt.Fprintln(w, "This machine exchanges with no other machine. Its memories and any key stay; memory sync --git URL exchanges again.")
		})
	}
	if err := private.Make(e.Paths.Sync()); err != nil { // before a key is made
		return fmt.Errorf("make the folder for the exchange: %w", err)
	}
	before, _ := mailbox.LastOutcome(e.Paths.Sync())
	list, err := purged.Load(e.Paths.Purged())
	if err != nil {
		return err
	}
	store := e.Config.Store
	letters := letterReader{sessions: map[string]bool{}, memories: map[string]bool{}}
	exchange := mailbox.Exchange{
		Dir: e.Paths.Sync(), Store: fmt.Sprintf("%x", sha256.Sum256([]byte(store.URL+" "+store.Namespace+" "+store.Database))), Purged: fingerprint(list),
		Export: func(ctx context.Context, w io.Writer) error {
			_, err := exportTo(ctx, e, w, "")
			if err != nil {
				return err
			}
			return exportPurged(e, w)
		},
		Purge: func(ctx context.Context, lines [][]byte) error { return purgeElsewhere(ctx, e, lines) },
	}
	exchange.Import = func(ctx context.Context, letter []byte) (mailbox.Imported, error) {
		now, err := purged.Load(e.Paths.Purged()) // more may have been purged meanwhile
		if err != nil {
			return mailbox.Imported{}, err
		}
		exchange.Purged = fingerprint(now)
		letters.purged, letters.isUntold = now, letters.isUntold || exchange.HasPurged()
		return letters.read(ctx, e, letter)
	}
	report, err := exchange.Run(c.Context, c.String("git"), c.String("key"))
	if err != nil {
		return err
	}
	return e.Print(report, func(w io.Writer) {
		printSync(w, report)
		switch {
		case before.At.IsZero():
			_, _ = fmt.Fprintln(w, "From now on the daemon exchanges by itself when a session starts or has ended; memory sync --off stops it")
		case report.Moved:
			_, _ = fmt.Fprintln(w, "Everything was sent to this repository, too. Give its address to your other machines: memory sync --git URL")
		}
	})
}

// syncState returns when this machine last exchanged memories with the others, or why it could not, as text.
func syncState(e *environment, last mailbox.Outcome) string {
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
	_, _ = fmt.Fprintf(w, "received %s, sent %s\n", memory.Counted(r.Added, "new memory"), memory.Counted(r.Sent, "change"))
	importNote(w, r.Refused, "change", "of other machines refused; they can never be stored, so they are not tried again")
	for _, one := range r.Unreadable {
		_, _ = fmt.Fprintf(w, "left out the file %s of the repository: %s\n", one.Letter, terminal.Printable(one.Reason))
	}
	if r.Withdrawn > 0 {
		_, _ = fmt.Fprintf(w, "deleted %s from the repository because of a purge; the repository's host may keep them, encrypted, unless you delete the repository itself\n", memory.Counted(r.Withdrawn, "encrypted file"))
	}
	if r.NewKey {
		_, _ = fmt.Fprintf(w,
			"The key is in %s. Copy it to your other machines (memory sync --git URL --key FILE) and to a safe place: without it nobody can read the repository, you included\n", r.Key)
	}
}

// purgedLine is the line of a letter with what was purged on one machine.
type purgedLine[T any] struct {
	Kind   memory.Section `json:"kind"`
	Purged T              `json:"purged"`
}

// fingerprint returns a hash of what was purged on this machine, or "" if nothing was.
func fingerprint(list *purged.List) string {
	if list.Own().IsEmpty() {
		return ""
	}
	text, _ := json.Marshal(list.Own()) // a list can always be encoded
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// exportPurged writes a line for each machine on which something was purged, with hashes of what was purged.
func exportPurged(e *environment, w io.Writer) error {
	list, err := purged.Load(e.Paths.Purged())
	if err != nil {
		return err
	}
	for _, one := range append([]*purged.List{list.Own()}, list.Others...) {
		if one.IsEmpty() {
			continue
		}
		if err := json.NewEncoder(w).Encode(purgedLine[*purged.List]{memory.SectionPurged, one}); err != nil {
			return err
		}
	}
	return nil
}

// purgeElsewhere removes from this machine what was purged on others.
func purgeElsewhere(ctx context.Context, e *environment, lines [][]byte) error {
	params := daemonapi.ScrubParams{Apply: true}
	for _, line := range lines {
		var one purgedLine[json.RawMessage]
		if err := json.Unmarshal(line, &one); err != nil {
			return fmt.Errorf("another machine's purge cannot be read: update the plugin here, that machine may have a newer version: %w: %w", err, memory.ErrInvalid)
		}
		params.Elsewhere = append(params.Elsewhere, one.Purged)
	}
	return e.Daemon.CallLong(ctx, daemonapi.MethodScrub.Call(params, nil))
}

// letterReader imports letters from the user's other machines; their rows count as the user's own.
type letterReader struct {
	purged             *purged.List    // what was ever purged on this machine, or on others as far as it knows
	isUntold           bool            // whether this machine has purged something that the other machines have not heard of yet
	writtenAt          time.Time       // when the letter was written
	sessions, memories map[string]bool // IDs of rows; true if the row was left out because its project was purged
}

func (r *letterReader) read(ctx context.Context, e *environment, letter []byte) (mailbox.Imported, error) {
	decoder, err := importer.NewDecoder(bytes.NewReader(letter))
	if err != nil {
		return mailbox.Imported{}, err
	}
	writer, err := importWriter(ctx, e)
	if err != nil {
		return mailbox.Imported{}, err
	}
	writer.IsOff = nil // a letter is read once, and the project may be switched on later
	r.writtenAt = decoder.Header.ExportedAt
	if err := writer.WriteAll(ctx, r.unpurged(decoder.Events())); err != nil {
		return mailbox.Imported{}, err
	}
	report := writer.Report()
	return mailbox.Imported{Added: report.Added, Refused: report.Refused + decoder.Report.Broken}, nil
}

// unpurged leaves out the rows that a purge of their project has deleted.
func (r *letterReader) unpurged(rows iter.Seq2[memory.Event, error]) iter.Seq2[memory.Event, error] {
	return func(yield func(memory.Event, error) bool) {
		for row, err := range rows {
			if isPurged := err == nil && r.isPurged(row); !isPurged && !yield(row, err) {
				return
			}
		}
	}
}

// isPurged reports whether a purge of its project has deleted a row. It must get the rows in the order of the letter:
// a session or memory comes before the rows that refer to it.
func (r *letterReader) isPurged(e memory.Event) bool {
	row := e.Import
	switch {
	case row.Session != nil:
		r.sessions[row.Session.ID] = r.isOld(e.Project.Key, row.Session.StartedAt)
		return r.sessions[row.Session.ID]
	case row.Memory != nil:
		r.memories[row.Memory.ID] = r.isOld(e.Project.Key, row.Memory.LastSeenAt)
		return r.memories[row.Memory.ID]
	}
	return r.sessions[e.Session] || row.Sighting != nil && r.memories[row.Sighting.Memory]
}

// isOld reports whether a project was purged, on any machine, later than a time and later than the letter was
// written. (The repository's host may have put an old letter back.) So what was stored again after a purge is not
// old. While the other machines have not heard of this machine's purge, any letter counts as written before it.
func (r *letterReader) isOld(project string, at time.Time) bool {
	own, last := r.purged.PurgedAt(project), r.purged.LastPurgedAt(project)
	return r.isUntold && !own.Before(at) && !own.IsZero() || !last.Before(at) && !last.Before(r.writtenAt) && !last.IsZero()
}
