// Package backup writes a store to one file, checks and rewrites such files, rotates the daily backups, and restores a
// backup: first with the backup's schema, then migrated to the current schema. It owns the file's format and the checks
// that a file is complete. It does not know a database's statements or the place of an engine's data.
//
// A file is gzip over JSON Lines: a header with the schema and the number of rows of each table, a line for each row,
// and a trailer that marks a complete file. Rows are in the store's own encoding, in base64.
package backup

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

const (
	format        = "surrealdb-memory-backup"
	formatVersion = 1
	// maxLine is the maximum number of bytes of one line, which limits the reader's memory.
	maxLine = 128 << 20
)

// Reasons to refuse a file, for errors.Is. The wrapping error has the remedy.
var (
	// ErrForeign means that the file is not a backup of this product.
	ErrForeign = errors.New("this is not a backup: name a file that memory backup wrote (a file of memory export is for memory import)")
	// ErrDamaged means that the file is truncated or was changed.
	ErrDamaged = errors.New("the backup is damaged")
	// ErrNewer means that a newer version of this product wrote the file.
	ErrNewer = errors.New("the backup is newer than this program")
)

// Header is the first line of a backup.
type Header struct {
	Format    string    `json:"format"`
	Version   int       `json:"version"`    // version of the file's format
	Product   string    `json:"product"`    // version of the program that wrote the file
	CreatedAt time.Time `json:"created_at"` // the backup has everything that was committed before this time
	// JournalEnd is the last segment of the journal whose records are in the backup. No record of a later segment is.
	// It is empty without a journal.
	JournalEnd string `json:"journal_end,omitempty"`
	memory.Contents
}

func (h Header) Rows() int {
	n := 0
	for _, table := range h.Tables {
		n += table.Rows
	}
	return n
}

// line is a row or, as the last line of a backup, the trailer.
type line struct {
	Table string `json:"table,omitempty"`
	Row   []byte `json:"row,omitzero"`
	End   bool   `json:"end,omitempty"`
}

// Result describes a file written by Write.
type Result struct {
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	Header Header `json:"header"`
}

// Write writes a backup of a store to a new file. Until Write calls release, nobody may write to the store, and the store must have exactly the records of the
// journal up to the segment journalEnd ("" for none). From then on Write reads a fixed snapshot. Write fails if the file exists; it uses a temporary name until
// the file is complete.
func Write(
	ctx context.Context, store Source, path, product string, now time.Time, journalEnd string, release func(),
) (Result, error) {
	made := Result{File: path, Header: Header{
		Format: format, Version: formatVersion, Product: product, CreatedAt: now.UTC(), JournalEnd: journalEnd,
	}}
	if _, err := os.Lstat(path); err == nil {
		return made, fmt.Errorf("write the backup: %s exists already, name another file: %w", path, memory.ErrInvalid)
	}
	err := atomicfile.Fill(path, 0o600, func(file io.Writer) error {
		return compress(file, func(lines *json.Encoder) error {
			w := &writer{lines: lines, header: &made.Header, release: release, counts: map[string]int{}}
			if err := store.CopyOut(ctx, w); err != nil {
				return err
			}
			return w.end()
		})
	})
	var info os.FileInfo
	if err == nil {
		info, err = os.Stat(path)
	}
	if err != nil {
		return made, fmt.Errorf("write the backup %s: %w", path, err)
	}
	made.Bytes = info.Size()
	return made, nil
}

// compress writes gzip to file. It calls fill with the encoder of the backup's lines.
func compress(file io.Writer, fill func(lines *json.Encoder) error) error {
	buffered := bufio.NewWriterSize(file, 256<<10)
	zipped := gzip.NewWriter(buffered)
	return errors.Join(fill(json.NewEncoder(zipped)), zipped.Close(), buffered.Flush())
}

// writer is a memory.CopySink that writes the lines of a backup.
type writer struct {
	lines   *json.Encoder
	header  *Header
	release func()
	counts  map[string]int
}

func (w *writer) Begin(c memory.Contents) error {
	w.release()
	w.header.Contents = c
	return w.lines.Encode(w.header)
}

func (w *writer) Row(table string, row []byte) error {
	w.counts[table]++
	return w.lines.Encode(line{Table: table, Row: row})
}

func (w *writer) end() error {
	if err := agree(w.header.Tables, w.counts); err != nil {
		return err
	}
	return w.lines.Encode(line{End: true})
}

// agree fails if the counted rows differ from the announced rows.
func agree(announced []memory.Table, counted map[string]int) error {
	known := 0
	for _, table := range announced {
		if n := counted[table.Name]; n != table.Rows {
			return fmt.Errorf("the table %s should have %d rows but has %d", table.Name, table.Rows, n)
		}
		if counted[table.Name] > 0 {
			known++
		}
	}
	if known != len(counted) {
		return fmt.Errorf("it has rows of %d tables instead of %d", len(counted), known)
	}
	return nil
}

// reader reads a backup line by line.
type reader struct {
	header Header
	file   *os.File
	left   *io.LimitedReader // how many bytes the next line may have
	lines  *json.Decoder
	counts map[string]int
}

// open opens a backup and reads its header. It fails with ErrForeign, ErrDamaged, ErrNewer, or the error of opening the file.
func open(path string) (*reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r := &reader{file: file, counts: map[string]int{}}
	if err := r.begin(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return r, nil
}

func (r *reader) begin() error {
	zipped, err := gzip.NewReader(r.file)
	if err != nil {
		return ErrForeign
	}
	r.left = &io.LimitedReader{R: zipped}
	r.lines = json.NewDecoder(r.left)
	switch err := r.next(&r.header); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case err != nil || r.header.Format != format:
		return ErrForeign
	case r.header.Version != formatVersion:
		return fmt.Errorf("%w: its format is %d, this program supports %d: update the plugin", ErrNewer,
			r.header.Version, formatVersion)
	}
	return nil
}

// next reads the next line. It fails with ErrDamaged if the line is too long, is cut short or was changed.
func (r *reader) next(value any) error {
	r.left.N = maxLine
	if err := r.lines.Decode(value); err != nil {
		return fmt.Errorf("%w: it is cut short or changed: %w", ErrDamaged, err)
	}
	return nil
}

// rows calls use for each row. It fails with ErrDamaged if the file is not complete.
func (r *reader) rows(use func(table string, row []byte) error) error {
	for {
		var l line
		if err := r.next(&l); err != nil {
			return err
		}
		if l.End {
			return r.end()
		}
		r.counts[l.Table]++
		if err := use(l.Table, l.Row); err != nil {
			return err
		}
	}
}

func (r *reader) end() error {
	if err := agree(r.header.Tables, r.counts); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if _, err := r.lines.Token(); !errors.Is(err, io.EOF) { // at EOF gzip has verified its checksum
		return errors.Join(fmt.Errorf("%w: something follows its end", ErrDamaged), err)
	}
	return nil
}

// read reads a whole backup: it calls begin with the header, then row for each row. It fails with ErrForeign, ErrNewer,
// ErrDamaged, or the error of begin or row.
func read(path string, begin func(Header) error, row func(table string, row []byte) error) error {
	r, err := open(path)
	if err != nil {
		return err
	}
	defer func() { _ = r.file.Close() }()
	if err = begin(r.header); err == nil {
		err = r.rows(row)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Check reads a whole backup and returns its header. It fails with ErrForeign, ErrNewer, ErrDamaged, or if it cannot open the file.
func Check(path string) (header Header, err error) {
	err = read(path, func(h Header) error { header = h; return nil }, func(string, []byte) error { return nil })
	return header, err
}

// Source is a store whose rows can be copied; package storetest has the contract of a store.
type Source interface {
	CopyOut(ctx context.Context, sink memory.CopySink) error
}

// TargetStore is a store that rows are restored into. Rows are in the encoding of their store, so only a store of the
// same implementation with the same schema accepts them.
type TargetStore interface {
	Source
	CopyIn(ctx context.Context, table string, rows [][]byte) error
	// BeginRestore removes the schema and the rows of an interrupted restore, and marks the store as unfinished, with
	// the source's name. It fails with memory.ErrNotEmpty if the store has sessions or memories.
	BeginRestore(ctx context.Context, source string) error
	// EndRestore removes the mark that BeginRestore has set.
	EndRestore(ctx context.Context) error
}

// Rewrite changes the rows of a backup: change returns the new form of a row, or nil to delete it, and whether it
// differs. Rewrite returns the number of changed rows. Without apply it only counts. It replaces the whole file when
// the new one is on disk; a damaged file stays unchanged. It fails like Check, or with the error of change.
func Rewrite(path string, apply bool, change func(table string, row []byte) ([]byte, bool, error)) (changed int, err error) {
	left := map[string]int{}
	changes := func(use func(table string, row []byte) error) func(string, []byte) error {
		changed, left = 0, map[string]int{}
		return func(table string, row []byte) error {
			row, differs, err := change(table, row)
			if err != nil {
				return fmt.Errorf("a row of %s: %w", table, err)
			}
			if differs {
				changed++
			}
			if row == nil {
				return nil
			}
			left[table]++
			return use(table, row)
		}
	}
	count := func() error {
		return read(path, func(Header) error { return nil }, changes(func(string, []byte) error { return nil }))
	}
	if err := count(); err != nil || changed == 0 || !apply {
		return changed, err
	}
	if err := count(); err != nil { // a row may have to be deleted because of a later row
		return changed, err
	}
	held := left
	err = atomicfile.Fill(path, 0o600, func(w io.Writer) error {
		return compress(w, func(lines *json.Encoder) error {
			all := &writer{lines: lines, counts: map[string]int{}}
			begin := func(h Header) error {
				h.Tables = slices.Clone(h.Tables)
				for i := range h.Tables {
					h.Tables[i].Rows = held[h.Tables[i].Name]
				}
				all.header = &h
				return lines.Encode(h)
			}
			if err := read(path, begin, changes(all.Row)); err != nil {
				return err
			}
			return all.end()
		})
	})
	if err != nil {
		return 0, fmt.Errorf("rewrite the backup %s: %w", path, err)
	}
	return changed, nil
}
