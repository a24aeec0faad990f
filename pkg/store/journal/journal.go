// Package journal records the writes to the store in the order of their commits, so that the store can be rebuilt. It
// owns the segment files of one directory, with their format, age and compression. It does not use the store: callers
// append after a commit, and apply the records that they read.
//
// A segment is JSON Lines with one row and its checksum on each line. The daemon of a home is the only writer. A
// segment ends with its UTC day, at a size limit, or when its writer ends. Closed segments are compressed.
package journal

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// segmentBytes is the size, before compression, at which a segment ends.
const segmentBytes = 16 << 20

const (
	openSuffix   = ".jsonl"
	closedSuffix = ".jsonl.gz"
)

// Journal appends to one directory. Its methods are safe for concurrent use. Only one process may have a Journal of a directory.
type Journal struct {
	dir string
	now func() time.Time
	max int64 // most bytes of a segment

	compacting sync.Mutex // held while closed segments are changed

	mu   sync.Mutex
	file *os.File  // nil until something is appended
	name string    // name of the open segment
	last time.Time // time of the last Append
	day  string
	size int64
}

// Continue creates the directory of a new journal. Its segments are numbered after end, a segment of another journal.
func Continue(dir, end string) error {
	day, number, found := strings.Cut(end, ".")
	last, err := strconv.Atoi(number)
	if err != nil || !found {
		return fmt.Errorf("continue the journal after %q: it is not the name of a segment", end)
	}
	err = os.Mkdir(dir, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s.%06d%s", day, last+1, openSuffix)), nil, 0o600)
	}
	if err != nil {
		return fmt.Errorf("continue the journal: %w", err)
	}
	return atomicfile.SyncDir(dir)
}

// New returns the journal in a directory. The first Append creates the directory.
func New(dir string, now func() time.Time) *Journal {
	return &Journal{dir: dir, now: now, max: segmentBytes}
}

func (j *Journal) Dir() string { return j.dir }

// Append writes records with one write and one sync, so they are durable when it returns. The records have the same
// time, which no other call uses. If it fails, some of the records may nevertheless be readable.
func (j *Journal) Append(records ...Record) error {
	if len(records) == 0 {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	at := j.now().UTC()
	if behind := j.last.Sub(at); behind >= 0 && behind < time.Second { // otherwise the clock was set back
		at = j.last.Add(1)
	}
	j.last = at
	var lines []byte
	for _, r := range records {
		r.At = at
		line, err := encode(r)
		if err != nil {
			return fmt.Errorf("append to the journal: %w", err)
		}
		lines = append(lines, line...)
	}
	if err := j.ready(at); err != nil {
		return fmt.Errorf("append to the journal: %w", err)
	}
	if err := j.write(lines); err != nil {
		return fmt.Errorf("append to the journal: %w", err)
	}
	return nil
}

// write writes lines to the open segment. If that fails, it truncates the segment, so that no line follows half a line.
func (j *Journal) write(lines []byte) error {
	_, err := j.file.Write(lines)
	if err == nil {
		err = j.file.Sync()
	}
	if err == nil {
		j.size += int64(len(lines))
		return nil
	}
	undo := j.file.Truncate(j.size)
	if undo == nil {
		_, undo = j.file.Seek(j.size, 0)
	}
	if undo != nil {
		undo = errors.Join(undo, j.end())
	}
	return errors.Join(err, undo)
}

// ready opens a new segment unless the open one is of the day and below the size limit.
func (j *Journal) ready(at time.Time) error {
	day := at.Format(time.DateOnly)
	if j.file != nil && day <= j.day && j.size < j.max {
		return nil
	}
	if err := j.end(); err != nil {
		return err
	}
	// The parents are not created, because a deleted home must not reappear.
	if err := os.Mkdir(j.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	name, day, err := j.next(day)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(j.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	j.file, j.name, j.day, j.size = file, name, day, 0
	return atomicfile.SyncDir(j.dir)
}

// next returns the name of the next segment. It sorts after all others, even if the clock was set back.
func (j *Journal) next(day string) (name, segmentDay string, err error) {
	there, err := segments(j.dir)
	if err != nil {
		return "", "", err
	}
	number := 1
	if len(there) > 0 && there[len(there)-1].day >= day {
		last := there[len(there)-1]
		day, number = last.day, last.number+1
	}
	return fmt.Sprintf("%s.%06d%s", day, number, openSuffix), day, nil
}

func (j *Journal) end() error {
	if j.file == nil {
		return nil
	}
	file := j.file
	j.file, j.name = nil, ""
	return file.Close()
}

// Close closes the open segment. The next Append begins another.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.end(); err != nil {
		return fmt.Errorf("close the journal: %w", err)
	}
	return nil
}

// segment is one file of the directory.
type segment struct {
	day    string
	number int
	path   string
	closed bool
}

var segmentName = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})\.(\d{6})(\.jsonl|\.jsonl\.gz)$`)

// segments lists the segments of a directory in the order of writing. If a segment exists in both forms, because its
// writer was killed, only the compressed form is listed, which is complete.
func segments(dir string) ([]segment, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []segment
	for _, entry := range entries { // sorted, so .jsonl comes before .jsonl.gz
		parts := segmentName.FindStringSubmatch(entry.Name())
		if parts == nil {
			continue
		}
		number, _ := strconv.Atoi(parts[2])
		found := segment{day: parts[1], number: number, path: filepath.Join(dir, entry.Name()), closed: parts[3] == closedSuffix}
		if last := len(all) - 1; last >= 0 && all[last].day == found.day && all[last].number == found.number {
			all[last] = found
			continue
		}
		all = append(all, found)
	}
	slices.SortStableFunc(all, func(a, b segment) int { return cmp.Or(cmp.Compare(a.day, b.day), a.number-b.number) })
	return all, nil
}

// Record is a committed change of a row. The records of one write share a time. If the row existed, Before has only its key.
type Record struct {
	At time.Time // set by Append
	memory.RowChange
}

// Records returns the records of a write, without ephemeral rows.
func Records(w memory.Write) []Record {
	var records []Record
	for _, change := range w.Rows {
		if of, isKnown := memory.RowTypeOf(change.Row()); !isKnown || !of.Ephemeral {
			records = append(records, Record{RowChange: withoutKnownText(change)})
		}
	}
	return records
}

// withoutKnownText leaves the memory's text out of a change that archives the memory, because an earlier record or backup has it.
// If neither exists, a rebuild leaves the memory out. It keeps the line that the change adds to the memory's detail: the reason.
func withoutKnownText(c memory.RowChange) memory.RowChange {
	before, wasMemory := c.Before.(memory.Row)
	after, isMemory := c.After.(memory.Row)
	if wasMemory && isMemory && after.Memory.Status == memory.StatusArchived && before.Memory.Status != after.Memory.Status && before.Memory.Content == after.Memory.Content {
		after.Memory.Content, after.Memory.Detail = "", strings.TrimSuffix(after.Memory.Detail, before.Memory.Detail)
		c.After = after
	}
	return c
}

// line is the JSON form of a record. Sum is the CRC-32 (IEEE) of the row's bytes, which detects damaged lines.
type line struct {
	At    time.Time       `json:"at"`
	Table string          `json:"table"`
	Was   bool            `json:"was,omitempty"`  // the row existed before
	Gone  bool            `json:"gone,omitempty"` // the row was deleted; Row is its key
	Sum   uint32          `json:"sum"`
	Row   json.RawMessage `json:"row"`
}

func encode(r Record) ([]byte, error) {
	row := r.Row()
	of, isKnown := memory.RowTypeOf(row)
	if !isKnown {
		return nil, fmt.Errorf("encode a record of the type %T: %w", row, memory.ErrInvalid)
	}
	if r.After == nil {
		row = of.OnlyKey(row)
	}
	raw, err := json.Marshal(row)
	if err != nil {
		return nil, fmt.Errorf("encode a row of %s: %w", of.Table, err)
	}
	text, err := json.Marshal(line{
		At: r.At, Table: of.Table, Was: r.Before != nil, Gone: r.After == nil, Sum: crc32.ChecksumIEEE(raw), Row: raw,
	})
	if err != nil {
		return nil, fmt.Errorf("encode a row of %s: %w", of.Table, err)
	}
	return append(text, '\n'), nil
}

func decode(text []byte) (Record, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return Record{}, err
	}
	if sum := crc32.ChecksumIEEE(l.Row); sum != l.Sum {
		return Record{}, fmt.Errorf("its checksum is %08x instead of %08x", sum, l.Sum)
	}
	of, isKnown := memory.RowTypeIn(l.Table)
	if !isKnown {
		return Record{}, fmt.Errorf("this version has no table %q", l.Table)
	}
	row, err := of.Decode(l.Row)
	if err != nil {
		return Record{}, err
	}
	r := Record{At: l.At}
	if l.Was {
		r.Before = of.OnlyKey(row)
	}
	if !l.Gone {
		r.After = row
	}
	return r, nil
}
