// Package backup writes a store as one file, checks such files, rotates the daily ones, and
// restores them: first with the schema of the backup, and then migrated to the current one.
// It owns the file's format and the checks for a complete file. It is independent of a
// database's statements and of where an engine stores its data.
//
// A file is gzip over JSON Lines: a header with the schema and the number of rows of each
// table, one line for each row, and a trailer that marks a complete file. Rows are in the
// store's own encoding, in base64.
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
	"syscall"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

const (
	format        = "surrealdb-memory-backup"
	formatVersion = 1
	// maxLine limits the memory for one row in the reader.
	maxLine = 128 << 20
)

// Reasons to refuse a file, for errors.Is. The wrapping error has the remedy.
var (
	// ErrForeign: the file is no backup of this product.
	ErrForeign = errors.New("not a backup of surrealdb-memory")
	// ErrDamaged: the file is truncated or was changed.
	ErrDamaged = errors.New("the backup is damaged")
	// ErrNewer: the file was written by a newer version of this product.
	ErrNewer = errors.New("the backup is newer than this program")
)

// Header is the first line.
type Header struct {
	Format        string    `json:"format"`
	Version       int       `json:"version"`        // of the format
	Product       string    `json:"product"`        // the version of the program that wrote it
	SchemaVersion int       `json:"schema_version"` // of the store; the last of Schema
	CreatedAt     time.Time `json:"created_at"`     // it has everything committed before
	// JournalEnd is the last segment of the journal that the backup covers: completely, and
	// nothing after it, whatever the clock showed. Empty without a journal.
	JournalEnd string `json:"journal_end,omitempty"`
	memory.Contents
}

// Rows counts all rows.
func (h Header) Rows() int {
	n := 0
	for _, table := range h.Tables {
		n += table.Rows
	}
	return n
}

type rowLine struct {
	Table string `json:"table"`
	Row   []byte `json:"row"`
}

// trailer is the last line. Its counts are those of the lines before it.
type trailer struct {
	End    bool           `json:"end"`
	Tables map[string]int `json:"tables"`
}

// anyLine is a row or the trailer.
type anyLine struct {
	rowLine
	trailer
}

// Made describes a file that Write has written.
type Made struct {
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	Header Header `json:"header"`
}

// Write writes a backup of a store that has exactly the journaled records through the end of a
// segment, "" for none, until release is called, which fixes the content of the backup. It uses a
// temporary name until the file is complete, and does not overwrite an existing file.
func Write(
	ctx context.Context, store Store, path, product string, now time.Time, through string, release func(),
) (Made, error) {
	made := Made{File: path, Header: Header{
		Format: format, Version: formatVersion, Product: product, CreatedAt: now.UTC(), JournalEnd: through,
	}}
	if _, err := os.Lstat(path); err == nil {
		return made, fmt.Errorf("write the backup: %s is there already, name another file: %w", path, memory.ErrInvalid)
	}
	err := atomicfile.Fill(path, 0o600, func(w io.Writer) error { return fill(ctx, store, w, &made.Header, release) })
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

func fill(ctx context.Context, store Store, file io.Writer, header *Header, release func()) error {
	return compress(file, func(lines *json.Encoder) error {
		w := &writer{lines: lines, header: header, release: release, counts: map[string]int{}}
		if err := store.CopyOut(ctx, w); err != nil {
			return err
		}
		return w.end()
	})
}

// compress calls fill with the encoder of a backup's lines.
func compress(file io.Writer, fill func(lines *json.Encoder) error) error {
	buffered := bufio.NewWriterSize(file, 256<<10)
	zipped := gzip.NewWriter(buffered)
	return errors.Join(fill(json.NewEncoder(zipped)), zipped.Close(), buffered.Flush())
}

// writer is the sink of a copy.
type writer struct {
	lines   *json.Encoder
	header  *Header
	release func()
	counts  map[string]int
}

func (w *writer) Begin(c memory.Contents) error {
	w.release()
	w.header.Contents = c
	if n := len(c.Schema); n > 0 {
		w.header.SchemaVersion = c.Schema[n-1].Version
	}
	return w.lines.Encode(w.header)
}

func (w *writer) Row(table string, row []byte) error {
	w.counts[table]++
	return w.lines.Encode(rowLine{table, row})
}

func (w *writer) end() error {
	if err := agree(w.header.Tables, w.counts); err != nil {
		return err
	}
	return w.lines.Encode(trailer{true, w.counts})
}

// agree compares the counted rows with the announced ones.
func agree(announced []memory.Table, counted map[string]int) error {
	known := 0
	for _, table := range announced {
		if n := counted[table.Name]; n != table.Rows {
			return fmt.Errorf("the table %s was to have %d rows and has %d", table.Name, table.Rows, n)
		}
		if counted[table.Name] > 0 {
			known++
		}
	}
	if known != len(counted) {
		return fmt.Errorf("there are rows of %d tables, %d were announced", len(counted), known)
	}
	return nil
}

// reader reads a backup line by line.
type reader struct {
	header Header
	file   *os.File
	lines  *bufio.Reader
	counts map[string]int
}

// open reads the header of a backup. Errors: ErrForeign, ErrDamaged, ErrNewer,
// and those of opening a file.
func open(path string) (*reader, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // does not wait for a pipe
	if err != nil {
		return nil, fmt.Errorf("open the backup: %w", err)
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("read the backup %s: it is no regular file: %w", path, ErrForeign), file.Close())
	}
	r := &reader{file: file, counts: map[string]int{}}
	if err := r.begin(); err != nil {
		return nil, errors.Join(fmt.Errorf("read the backup %s: %w", path, err), file.Close())
	}
	return r, nil
}

func (r *reader) begin() error {
	zipped, err := gzip.NewReader(r.file)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrForeign, err)
	}
	r.lines = bufio.NewReaderSize(zipped, 256<<10)
	text, err := r.line()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &r.header); err != nil || r.header.Format != format {
		return ErrForeign
	}
	if r.header.Version != formatVersion {
		return fmt.Errorf("%w: its format is %d, this program supports %d: update the plugin", ErrNewer,
			r.header.Version, formatVersion)
	}
	return nil
}

// line returns the next line. A line without an end is damage.
func (r *reader) line() ([]byte, error) {
	var line []byte
	for {
		part, err := r.lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case len(line) > maxLine:
			return nil, fmt.Errorf("%w: a line has more than %d bytes", ErrDamaged, maxLine)
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("%w: it is cut short: %w", ErrDamaged, err)
		}
	}
}

// rows passes the rows to use. The error is ErrDamaged if the file is not complete.
func (r *reader) rows(use func(table string, row []byte) error) error {
	for {
		text, err := r.line()
		if err != nil {
			return err
		}
		var l anyLine
		if err := json.Unmarshal(text, &l); err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
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
	switch _, err := r.lines.ReadByte(); { // gzip verifies its own checksum here
	case err == nil:
		return fmt.Errorf("%w: something follows its end", ErrDamaged)
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

// read reads a whole backup: its header, then its rows. The error is ErrForeign, ErrNewer, ErrDamaged, or one of the
// functions.
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
		return fmt.Errorf("the backup %s: %w", path, err)
	}
	return nil
}

// Check reads a whole backup and returns its header. Errors: ErrForeign, ErrNewer, ErrDamaged, and those of opening a file.
func Check(path string) (header Header, err error) {
	err = read(path, func(h Header) error { header = h; return nil }, func(string, []byte) error { return nil })
	return header, err
}

// File is a backup in a file, which can be copied out like a store.
type File string

// CopyOut implements Source. Errors: those of Check.
func (f File) CopyOut(_ context.Context, sink memory.CopySink) error {
	return read(string(f), func(h Header) error { return sink.Begin(h.Contents) }, sink.Row)
}
