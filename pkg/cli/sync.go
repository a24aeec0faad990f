package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
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
	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/mailbox"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// syncCommand makes memory sync.
func syncCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "sync", Usage: "bring the memories of your machines together, through git",
		Description: described("What the repository gets is encrypted to a key that stays on your machines. The first machine makes the key and says where it is; copy that file to the others.",
			"memory sync --git git@example.org:me/memory.git",
			"memory sync --git git@example.org:me/memory.git --key key.txt", "memory sync"),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "git", Usage: "`URL` of the repository", DefaultText: "that of last time"},
			&cli.StringFlag{Name: "key", Usage: "take over the key in `FILE`, of another machine"},
			jsonFlag(),
		},
		Action: action(e, syncOptionsOf, syncMachines),
	}
}

// syncOptions has the place of the exchange.
type syncOptions struct {
	sharedOptions
	address string // of the git repository; empty is that of last time
	key     string // the file of another machine's key; empty is the one that is here
}

func syncOptionsOf(c *cli.Context) (syncOptions, error) {
	o := syncOptions{sharedOptionsOf(c), c.String("git"), c.String("key")}
	if c.Args().Present() {
		return o, usagef("sync takes no arguments: memory sync --git URL names the repository")
	}
	return o, nil
}

// syncReport is the answer of sync.
type syncReport struct {
	Letters int    `json:"letters"` // of the other machines, that were new here
	Added   int    `json:"added"`   // memories that were new here
	Sent    int    `json:"sent"`    // rows that were new in the repository
	Key     string `json:"key"`     // the file of the key
	NewKey  bool   `json:"new_key"` // it was made now
	Refused int    `json:"refused"` // rows that can never be stored

	Unreadable []unreadableLetter `json:"unreadable,omitempty"` // letters that are left out
}

// unreadableLetter is a letter that is not for the key of this machine, or is damaged: whoever may
// write to the repository can put one there.
type unreadableLetter struct {
	Letter string `json:"letter"`
	Reason string `json:"reason"`
}

// mostRaces bounds how often other machines may be faster.
const mostRaces = 10

func syncMachines(ctx context.Context, e *environment, o syncOptions) error {
	box, err := mailbox.Open(ctx, e.Paths.Sync(), o.address)
	if err != nil {
		return err
	}
	s := letterExchange{env: e, box: box, report: syncReport{Key: filepath.Join(e.Paths.Sync(), "key.txt")}}
	for range mostRaces {
		err = s.once(ctx, o.key)
		if !errors.Is(err, mailbox.ErrRaced) {
			break
		}
	}
	if err != nil {
		return err
	}
	return e.Print(ctx, o.JSON, s.report, func(w io.Writer) {
		r := s.report
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
	})
}

// letterExchange imports the letters of other machines and sends the rows that none of them has.
type letterExchange struct {
	env    *environment
	box    *mailbox.Box
	report syncReport
}

// once exchanges the letters. An exchange that was interrupted is repaired by the next one: a letter is imported
// again, which changes nothing, or its rows are sent again.
func (s *letterExchange) once(ctx context.Context, key string) error {
	names, err := s.box.Fetch(ctx)
	if err != nil {
		return err
	}
	if err := s.unlock(key); err != nil {
		return err
	}
	handled, err := s.handled()
	if err != nil {
		return err
	}
	known := rowSet{}
	s.report.Unreadable = nil
	for _, name := range names {
		text, err := s.box.Read(ctx, name)
		if errors.Is(err, memory.ErrInvalid) {
			s.report.Unreadable = append(s.report.Unreadable, unreadableLetter{name, err.Error()})
			if len(s.report.Unreadable) < len(names) { // else this machine has the wrong key
				continue
			}
		}
		if err != nil {
			return err
		}
		known.add(text)
		if slices.Contains(handled, name) {
			continue
		}
		if err := s.receive(ctx, text); err != nil {
			return fmt.Errorf("import the letter %s: %w", name, err)
		}
		if handled, err = s.mark(append(handled, name)); err != nil {
			return err
		}
	}
	letter := letterWriter{known: known, most: mailbox.MostBytes / 2}
	letter.send = func(text []byte) error {
		name, err := s.box.Send(ctx, text)
		if err != nil {
			return err
		}
		handled, err = s.mark(append(handled, name))
		return err
	}
	letter.next = func() error {
		_, err := s.box.Fetch(ctx)
		return err
	}
	if _, err = exportTo(ctx, s.env, &letter, ""); err == nil {
		err = letter.end()
	}
	s.report.Sent += letter.sent
	return err
}

// unlock reads the key of the machine, takes over that of another, or makes one for the first
// machine. A key that is there is never replaced: letters are encrypted to it.
func (s *letterExchange) unlock(other string) error {
	own, err := mailbox.ReadKey(s.report.Key)
	if err != nil && !errors.Is(err, mailbox.ErrNoKey) {
		return err
	}
	switch {
	case other != "":
		return s.takeOver(own, other)
	case err == nil:
		s.box.Use(own)
		return nil
	case !s.box.IsEmpty():
		return fmt.Errorf("%w, and the repository has letters of another one: copy its key here and name it with --key FILE; there it is sync/key.txt in its MEMORY_HOME: %w", err, memory.ErrInvalid)
	}
	if own, err = mailbox.NewKey(); err != nil {
		return err
	}
	s.box.Use(own)
	s.report.NewKey = true
	return own.Write(s.report.Key)
}

func (s *letterExchange) takeOver(own mailbox.Key, file string) error {
	key, err := mailbox.ReadKey(file)
	switch {
	case errors.Is(err, mailbox.ErrNoKey):
		return fmt.Errorf("take over the key: there is no file %s: %w", file, memory.ErrNotFound)
	case err != nil:
		return err
	case !own.IsZero() && own != key:
		return fmt.Errorf("this machine has another key already, in %s: move it away first, or its letters could not be read any more: %w", s.report.Key, memory.ErrInvalid)
	}
	s.box.Use(key)
	return key.Write(s.report.Key)
}

// receive imports a letter: its rows are the user's own.
func (s *letterExchange) receive(ctx context.Context, text []byte) error {
	decoder, err := importer.NewDecoder(bytes.NewReader(text))
	if err != nil {
		return err
	}
	decoder.Mine = true
	writer, err := importWriter(ctx, s.env, false)
	if err != nil {
		return err
	}
	if err := writer.WriteAll(ctx, decoder.Bundles(), func(int64) {}); err != nil {
		return err
	}
	if err := s.archive(ctx, decoder.Corrected); err != nil {
		return err
	}
	s.report.Letters++
	s.report.Added += writer.Report().Added
	s.report.Refused += writer.Report().Refused + decoder.Report.Broken
	return nil
}

// archive archives the memories that were corrected on another machine, unless they were seen here since.
func (s *letterExchange) archive(ctx context.Context, corrected []memory.Memory) error {
	for _, old := range corrected {
		found, err := agentapi.MethodGet.Ask(ctx, s.env.Agent.Call,
			agentapi.GetParams{Project: old.Project, IDs: []string{old.ID}})
		if err != nil {
			return err
		}
		if len(found) != 1 || found[0].Status == memory.StatusArchived || found[0].LastSeenAt.After(old.LastSeenAt) {
			continue
		}
		now := s.env.Now()
		change := memory.Change{
			ID: memory.NewEventID(now), At: now.UTC(), By: memory.ByPerson, Status: memory.StatusArchived,
			Reason: "it was corrected on another machine",
		}
		if _, err := agentapi.MethodAmend.Ask(ctx, s.env.Agent.Call,
			agentapi.AmendParams{Project: old.Project, ID: old.ID, Change: change}); err != nil {
			return fmt.Errorf("archive a memory that was corrected on another machine: %w", err)
		}
	}
	return nil
}

func (s *letterExchange) handledFile() string { return filepath.Join(s.env.Paths.Sync(), "handled") }

// handled are the names of the letters that this machine has imported or sent.
func (s *letterExchange) handled() ([]string, error) {
	list, err := os.ReadFile(s.handledFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read which letters were handled: %w", err)
	}
	return strings.Fields(string(list)), nil
}

func (s *letterExchange) mark(handled []string) ([]string, error) {
	if err := atomicfile.Write(s.handledFile(), 0o600, []byte(strings.Join(handled, "\n")+"\n")); err != nil {
		return nil, fmt.Errorf("record which letters were handled: %w", err)
	}
	return handled, nil
}

// rowSet holds the hashes of the rows of letters.
type rowSet map[[sha256.Size]byte]bool

// add adds the rows of a letter, without its header.
func (r rowSet) add(text []byte) {
	_, rows, _ := bytes.Cut(text, []byte("\n"))
	for row := range bytes.Lines(rows) {
		r[sha256.Sum256(row)] = true
	}
}

// letterWriter makes letters of the rows of an export that no letter has. It is written to a
// line at a time. A letter that is full is sent.
type letterWriter struct {
	known rowSet
	most  int                     // bytes of a letter, about
	send  func(text []byte) error // sends a letter
	next  func() error            // makes another one possible
	text  bytes.Buffer
	head  []byte // the header and the projects, which later rows need
	rows  int    // that are new, of this letter
	sent  int    // likewise, of those before it
}

// Write takes a line. The header and the projects, which later rows need, are in every
// letter: their times change with every session, and alone they are no news.
func (l *letterWriter) Write(line []byte) (int, error) {
	switch {
	case l.text.Len() == 0 || isProject(line):
		l.head = append(l.head, line...)
	case l.known[sha256.Sum256(line)]:
		return len(line), nil
	default:
		if l.rows > 0 && l.text.Len()+len(line) > l.most {
			if err := l.end(); err != nil {
				return 0, err
			}
			if err := l.next(); err != nil {
				return 0, err
			}
			l.text.Reset()
			l.text.Write(l.head)
		}
		l.rows++
	}
	return l.text.Write(line)
}

// end sends the letter, if it has something new.
func (l *letterWriter) end() error {
	if l.rows == 0 {
		return nil
	}
	if err := l.send(l.text.Bytes()); err != nil {
		return err
	}
	l.sent, l.rows = l.sent+l.rows, 0
	return nil
}

func isProject(line []byte) bool {
	var row struct {
		Kind memory.Section `json:"kind"`
	}
	return json.Unmarshal(line, &row) == nil && row.Kind == memory.SectionProject
}
