package journal

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// maxLine bounds the memory that one line may take in the reader; an event is at most 4
// MB.
const maxLine = 16 << 20

// Report counts the segments and records read.
type Report struct {
	Segments int
	Records  int // handed over
	Problems []Problem
}

// Problem is a line or file that could not be read. Reading went on after it.
type Problem struct {
	Segment string // the file's name
	Line    int    // from 1; 0: the rest of the file is lost
	// Torn says that it is an incomplete last line, left by a writer that was killed
	// before it acknowledged the line.
	Torn   bool
	Reason string
}

func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: what follows cannot be read: %s", p.Segment, p.Reason)
	}
	return fmt.Sprintf("%s, line %d: %s", p.Segment, p.Line, p.Reason)
}

// Read hands over the records journaled at or after a time, in the order of writing.
// Unreadable lines are reported and left out. An error is one of use, or says that the
// directory or a file cannot be opened.
func Read(dir string, since time.Time, use func(Record) error) (Report, error) {
	return ReadFrom(dir, From{Since: since}, use)
}

// From says where reading begins: at records journaled at or after a time, and at a segment,
// as End has named it, whatever its clock said. Records that match either are read. With
// After it begins behind that segment, and nothing else counts.
type From struct {
	Since   time.Time
	Segment string
	After   string
}

// End names the newest segment, or "" if there is none. The names sort in the order
// of writing, also where the clock was set back.
func End(dir string) (string, error) {
	all, err := segments(dir)
	if err != nil || len(all) == 0 {
		return "", err
	}
	return all[len(all)-1].name(), nil
}

func (s segment) name() string { return fmt.Sprintf("%s.%06d", s.day, s.number) }

// ReadFrom is Read from a place on.
func ReadFrom(dir string, from From, use func(Record) error) (Report, error) {
	var report Report
	all, err := segments(dir)
	if err != nil {
		return report, fmt.Errorf("read the journal: %w", err)
	}
	first := from.Since.UTC().Format(time.DateOnly)
	for _, s := range all {
		since := from.Since
		switch {
		case from.After != "":
			if s.name() <= from.After {
				continue
			}
			since = time.Time{}
		case from.Segment != "" && s.name() >= from.Segment:
			since = time.Time{}
		case s.day < first:
			continue
		}
		if err := readSegment(s, since, use, &report); err != nil {
			return report, fmt.Errorf("read the journal: %w", err)
		}
	}
	return report, nil
}

func readSegment(s segment, since time.Time, use func(Record) error, report *Report) error {
	file, err := os.Open(s.path)
	if errors.Is(err, fs.ErrNotExist) { // compressed since the directory was listed
		s.path, s.closed = s.path+".gz", true
		file, err = os.Open(s.path)
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	report.Segments++
	name := filepath.Base(s.path)
	var content io.Reader = file
	if s.closed {
		content, err = gzip.NewReader(file)
		if err != nil {
			report.Problems = append(report.Problems, Problem{Segment: name, Reason: err.Error()})
			return nil
		}
	}
	lines := bufio.NewReaderSize(content, 64<<10)
	for number := 1; ; number++ {
		text, err := nextLine(lines)
		ended := err != nil
		if ended && !errors.Is(err, io.EOF) {
			report.Problems = append(report.Problems, Problem{Segment: name, Reason: err.Error()})
			return nil
		}
		if ended && len(text) == 0 {
			return nil
		}
		r, err := decode(text)
		switch {
		case err != nil:
			report.Problems = append(report.Problems, Problem{Segment: name, Line: number, Torn: ended, Reason: err.Error()})
		case !r.At.Before(since):
			if err := use(r); err != nil {
				return err
			}
			report.Records++
		}
		if ended {
			return nil
		}
	}
}

// nextLine returns a line without its end. The last line, if it has no end, comes with
// io.EOF. A line that is too long is returned cut, and so cannot be decoded.
func nextLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line) < maxLine {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return bytes.TrimSuffix(line, []byte("\n")), err
	}
}
