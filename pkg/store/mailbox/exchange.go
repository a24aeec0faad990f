package mailbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"filippo.io/age"
	"github.com/gofrs/flock"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// Exchange imports the letters of other machines, and sends the rows that are in no letter yet.
type Exchange struct {
	Dir string // directory with the copy of the branch, the key, and the record of handled letters
	// Store names this machine's store, without a space. Letters are recorded as handled for this store; another store gets all letters
	// again. Whoever replaces the content of a store deletes the record.
	Store string

	// Export writes all rows of this machine, one line a Write. Import stores the rows of a letter as the user's own.
	Export func(ctx context.Context, w io.Writer) error
	Import func(ctx context.Context, letter []byte) (Imported, error)
	// Purge removes from this machine what was purged on others. lines are the new letters' lines of purges. It is called
	// before Import, and only if there are such lines.
	Purge func(ctx context.Context, lines [][]byte) error
	// Purged is a hash of what was purged on this machine, or empty if nothing was. When it changes, Run withdraws all letters.
	Purged string

	box    *Box
	report Report
}

// Imported counts the rows of a letter.
type Imported struct {
	Added   int // memories that were new on this machine
	Refused int // rows that can never be stored
}

// Report counts what an exchange did.
type Report struct {
	Letters   int    `json:"letters"`             // letters of other machines that were new on this machine
	Added     int    `json:"added"`               // memories that were new on this machine
	Sent      int    `json:"sent"`                // rows that were new in the repository
	Key       string `json:"key"`                 // path of the key
	NewKey    bool   `json:"new_key"`             // the key was created now
	Moved     bool   `json:"moved,omitempty"`     // the repository is another one than before
	Refused   int    `json:"refused"`             // rows that can never be stored
	Withdrawn int    `json:"withdrawn,omitempty"` // letters that this machine removed from the repository after a purge

	Unreadable []Unreadable `json:"unreadable,omitempty"` // letters that were skipped
}

// Unreadable is a letter that is damaged or encrypted to another key. Whoever may write to the repository can add one.
type Unreadable struct {
	Letter string `json:"letter"`
	Reason string `json:"reason"`
}

// maxTries is how often an exchange is tried if other machines send letters meanwhile.
const maxTries = 10

// lockCheck is how often a waiting exchange looks whether the other one has ended.
const lockCheck = 100 * time.Millisecond

// Run exchanges letters through the git repository at an address; empty means the last address. key is the file of
// another machine's key to take over; empty means this machine's key. The next exchange repairs an interrupted
// exchange: it imports a letter again, which changes nothing, or sends rows again.
//
// It waits for another exchange of this machine, and fails if ctx ends meanwhile.
func (x *Exchange) Run(ctx context.Context, address, key string) (Report, error) {
	if err := os.MkdirAll(x.Dir, 0o700); err != nil {
		return Report{}, err
	}
	lock := flock.New(filepath.Join(x.Dir, "lock"))
	if _, err := lock.TryLockContext(ctx, lockCheck); ctx.Err() != nil {
		return Report{}, fmt.Errorf("another memory sync of this machine still runs, try again when it has ended: %w", ctx.Err())
	} else if err != nil {
		return Report{}, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	defer func() { _ = lock.Unlock() }()
	box, err := Open(ctx, x.Dir, address)
	if err != nil {
		return Report{}, err
	}
	x.box, x.report = box, Report{Key: filepath.Join(x.Dir, "key.txt"), Moved: box.hasMoved}
	if box.hasMoved {
		if err := os.RemoveAll(handledFile(x.Dir)); err != nil {
			return x.report, fmt.Errorf("the record of the letters read from the previous repository cannot be deleted: %w", err)
		}
	}
	for range maxTries {
		if err = x.once(ctx, key); !errors.Is(err, ErrRaced) {
			break
		}
	}
	return x.report, errors.Join(err, x.note(err))
}

// Outcome describes the latest exchanges of a machine.
type Outcome struct {
	At       time.Time `json:"at,omitzero"`        // the time of the latest exchange that succeeded
	FailedAt time.Time `json:"failed_at,omitzero"` // the time of the latest exchange, if it failed
	Reason   string    `json:"reason,omitempty"`   // the reason why it failed
}

// LastOutcome returns the outcome of the latest exchanges, and false if no exchange is set up in the directory.
func LastOutcome(dir string) (last Outcome, isSetUp bool) {
	if _, err := os.Stat(filepath.Join(dir, "repository", "HEAD")); err != nil {
		return Outcome{}, false
	}
	_ = atomicfile.ReadJSON(lastFile(dir), &last) // a file that cannot be read has nothing to say
	return last, true
}

// Disconnect forgets the repository, and which of its letters were handled. The key and the letters stay.
func Disconnect(dir string) error {
	return errors.Join(os.RemoveAll(filepath.Join(dir, "repository")), os.RemoveAll(lastFile(dir)), os.RemoveAll(handledFile(dir)))
}

func lastFile(dir string) string { return filepath.Join(dir, "last.json") }

// note records the outcome of an exchange for LastOutcome.
func (x *Exchange) note(failure error) error {
	last, _ := LastOutcome(x.Dir)
	now := time.Now().UTC().Truncate(time.Second)
	if failure != nil {
		last.FailedAt, last.Reason = now, memory.ErrorText(failure)
	} else {
		last = Outcome{At: now}
	}
	if err := atomicfile.WriteJSON(lastFile(x.Dir), last); err != nil {
		return fmt.Errorf("record the outcome of the exchange: %w", err)
	}
	return nil
}

func (x *Exchange) once(ctx context.Context, key string) error {
	names, err := x.box.Fetch(ctx)
	if err != nil {
		return err
	}
	if err := x.unlock(key); err != nil {
		return err
	}
	handled, err := x.handled()
	if err != nil {
		return err
	}
	hasMissed := slices.ContainsFunc(handled, func(name string) bool { return !slices.Contains(names, name) })
	known, err := x.receive(ctx, names, handled)
	if err != nil {
		return err
	}
	isAnew := x.HasPurged() && len(names) > 0
	if isAnew {
		known, x.report.Withdrawn = rowSet{}, len(names)
		x.box.drop()
	}
	letter := letterWriter{known: known, most: MostBytes / 2}
	letter.send = func(text []byte) error {
		name, err := x.box.Send(ctx, text)
		if err != nil {
			return err
		}
		return x.markHandled(name)
	}
	letter.next = func() error {
		_, err := x.box.Fetch(ctx)
		return err
	}
	err = x.Export(ctx, &letter)
	if err == nil {
		err = letter.end()
	}
	x.report.Sent += letter.sent
	if err == nil && x.Purged != "" {
		err = atomicfile.Write(x.purgedFile(), 0o600, []byte(x.Purged))
	}
	if err == nil && isAnew {
		_, err = x.box.Fetch(ctx)
	}
	if err == nil && (isAnew || hasMissed) {
		_, err = x.box.git(ctx, nil, "gc", "--quiet", "--prune=now") // deletes what no ref needs from the local copy
	}
	return err
}

func (x *Exchange) purgedFile() string { return filepath.Join(x.Dir, "purged") }

// HasPurged reports whether something was purged here that the latest exchange did not have, or that exchange's record cannot be read.
func (x *Exchange) HasPurged() bool {
	last, _ := os.ReadFile(x.purgedFile())
	return x.Purged != "" && x.Purged != string(last)
}

// receive removes what was purged on other machines, imports the letters that were not handled yet, and returns the rows of all letters.
func (x *Exchange) receive(ctx context.Context, names, handled []string) (rowSet, error) {
	known := rowSet{}
	x.report.Unreadable = nil
	var fresh []string
	var lines [][]byte
	for _, name := range names {
		text, err := x.box.Read(ctx, name)
		if errors.Is(err, memory.ErrInvalid) {
			x.report.Unreadable = append(x.report.Unreadable, Unreadable{name, memory.ErrorText(err)})
			if len(x.report.Unreadable) < len(names) { // otherwise this machine has the wrong key
				continue
			}
		}
		if err != nil {
			return nil, fmt.Errorf("read the letter %s: %w", name, err)
		}
		known.add(text)
		if !slices.Contains(handled, name) {
			fresh, lines = append(fresh, name), append(lines, linesOf(text, memory.SectionPurged)...)
		}
	}
	isGone := func(name string) bool { return !slices.Contains(names, name) }
	if err := x.changeHandled(func(handled []string) []string { return slices.DeleteFunc(handled, isGone) }); err != nil {
		return nil, err
	}
	if len(lines) > 0 {
		if err := x.Purge(ctx, lines); err != nil {
			return nil, fmt.Errorf("what another machine purged could not be deleted here: %w", err)
		}
	}
	for _, name := range fresh {
		text, err := x.box.Read(ctx, name) // read again, because not all letters are kept in memory
		if err != nil {
			return nil, fmt.Errorf("read the letter %s: %w", name, err)
		}
		imported, err := x.Import(ctx, text)
		if err != nil {
			return nil, fmt.Errorf("import the letter %s: %w", name, err)
		}
		x.report.Letters++
		x.report.Added += imported.Added
		x.report.Refused += imported.Refused
		if err := x.markHandled(name); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// unlock reads this machine's key, takes over another machine's key, or creates a key for the first machine. It never
// replaces a key, because letters are encrypted to it.
func (x *Exchange) unlock(other string) error {
	own, err := ReadKey(x.report.Key)
	if err != nil && !errors.Is(err, ErrNoKey) {
		return fmt.Errorf("%w: put the key back from your copy, or move the file away and repeat with --key FILE, a copy of another machine's key", err)
	}
	switch {
	case other != "":
		return x.takeOver(own, other)
	case err == nil:
		x.box.Key = own
		return nil
	case len(x.box.letters) > 0:
		return fmt.Errorf("%w, but the repository has letters of another machine: copy that machine's key (sync/key.txt in its MEMORY_HOME) here and repeat with --key FILE: %w", err, memory.ErrInvalid)
	}
	if own, err = age.GenerateX25519Identity(); err != nil {
		return fmt.Errorf("create a key: %w", err)
	}
	x.box.Key, x.report.NewKey = own, true
	return WriteKey(x.report.Key, own)
}

func (x *Exchange) takeOver(own *age.X25519Identity, file string) error {
	key, err := ReadKey(file)
	switch {
	case errors.Is(err, ErrNoKey):
		return fmt.Errorf("there is no key file %s: %w", file, memory.ErrNotFound)
	case err != nil:
		return err
	case own != nil && own.String() != key.String():
		return fmt.Errorf("this machine already has another key in %s: move it away first, but keep it, or letters encrypted to it can never be read again: %w", x.report.Key, memory.ErrInvalid)
	}
	x.box.Key = key
	return WriteKey(x.report.Key, key)
}

func handledFile(dir string) string { return filepath.Join(dir, "handled") }

// handled returns the names of the letters whose rows the store has, because this machine has imported or sent them.
func (x *Exchange) handled() ([]string, error) {
	list, err := os.ReadFile(handledFile(x.Dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read which letters were handled: %w", err)
	}
	if words := strings.Fields(string(list)); len(words) > 0 && words[0] == x.Store {
		return words[1:], nil
	}
	return nil, nil
}

func (x *Exchange) markHandled(name string) error {
	return x.changeHandled(func(handled []string) []string { return append(handled, name) })
}

// changeHandled changes the record of handled letters. It first reads the record again, which a restore may have deleted meanwhile.
func (x *Exchange) changeHandled(change func([]string) []string) error {
	handled, err := x.handled()
	if err != nil {
		return err
	}
	text := strings.Join(append([]string{x.Store}, change(handled)...), "\n") + "\n"
	if err := atomicfile.Write(handledFile(x.Dir), 0o600, []byte(text)); err != nil {
		return fmt.Errorf("record which letters were handled: %w", err)
	}
	return nil
}

// rowSet is a set of rows, by their hashes.
type rowSet map[[sha256.Size]byte]bool

// add adds the rows of a letter, without its header.
func (r rowSet) add(text []byte) {
	_, rows, _ := bytes.Cut(text, []byte("\n"))
	for row := range bytes.Lines(rows) {
		r[sha256.Sum256(row)] = true
	}
}

// letterWriter is an io.Writer for an export, which calls Write for each line. It packs the rows that are in no
// letter yet into letters, and sends each full letter.
type letterWriter struct {
	known rowSet
	most  int                     // bytes from which a letter counts as full
	send  func(text []byte) error // sends a letter
	next  func() error            // prepares for another letter
	text  bytes.Buffer
	head  []byte // the header and the projects, which every letter needs
	rows  int    // number of new rows in this letter
	sent  int    // number of new rows in earlier letters
}

// Write adds a line to the letter, if it is new. The header and the projects are in every letter, but a letter with
// nothing else is not sent: the projects' times change with every session, which is no news.
func (l *letterWriter) Write(line []byte) (int, error) {
	switch {
	case l.text.Len() == 0 || isIn(line, memory.SectionProject):
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

// end sends the letter if it has new rows.
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

// isIn reports whether a line belongs to a section. The section must be its first JSON field.
func isIn(line []byte, section memory.Section) bool {
	return bytes.HasPrefix(line, []byte(`{"kind":"`+string(section)+`"`))
}

func linesOf(text []byte, section memory.Section) (lines [][]byte) {
	for line := range bytes.Lines(text) {
		if isIn(line, section) {
			lines = append(lines, line)
		}
	}
	return lines
}
