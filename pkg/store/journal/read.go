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
	"slices"
)

// maxLine is the maximum number of bytes of one line, which limits the reader's memory. An event has at most 4 MB.
const maxLine = 16 << 20

// readBytes is the size of reads from a file.
const readBytes = 64 << 10

// Report counts what was read.
type Report struct {
	Records  int // records passed to the caller
	Problems []Problem
}

// Problem is a line or file that could not be read and was skipped.
type Problem struct {
	Segment string // name of the file
	Line    int    // number of the line, from 1; 0: the rest of the file is lost
	Reason  string
}

func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: the rest cannot be read: %s", p.Segment, p.Reason)
	}
	return fmt.Sprintf("%s, line %d: %s", p.Segment, p.Line, p.Reason)
}

// NewestSegment returns the name of the newest segment, or "". Names sort in the order of writing, even if the clock was set back.
func NewestSegment(dir string) (string, error) {
	all, err := segments(dir)
	if err != nil || len(all) == 0 {
		return "", err
	}
	return all[len(all)-1].name(), nil
}

func (s segment) name() string { return fmt.Sprintf("%s.%06d", s.day, s.number) }

// Read calls use for each record after a segment named by End, or for all records after "", in the order of writing. It
// reports and skips unreadable lines. It fails with the error of use, or if the directory or a file cannot be opened.
func Read(dir, after string, use func(Record) error) (Report, error) {
	var report Report
	all, err := segments(dir)
	if err != nil {
		return report, fmt.Errorf("read the journal: %w", err)
	}
	for _, s := range all {
		if s.name() <= after {
			continue
		}
		if err := readSegment(s, use, &report); err != nil {
			return report, fmt.Errorf("read the journal: %w", err)
		}
	}
	return report, nil
}

func readSegment(s segment, use func(Record) error, report *Report) error {
	file, err := os.Open(s.path)
	if errors.Is(err, fs.ErrNotExist) { // compressed since the directory was listed
		s.path, s.closed = s.path+".gz", true
		file, err = os.Open(s.path)
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if !s.closed {
		return readLines(bufio.NewReaderSize(file, readBytes), s, use, report)
	}
	content, err := gzip.NewReader(file)
	if err != nil {
		report.Problems = append(report.Problems, Problem{Segment: filepath.Base(s.path), Reason: err.Error()})
		return nil
	}
	return readLines(bufio.NewReaderSize(content, readBytes), s, use, report)
}

// readLines calls use for the record of each line.
func readLines(lines *bufio.Reader, s segment, use func(Record) error, report *Report) error {
	name := filepath.Base(s.path)
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
		if err != nil {
			report.Problems = append(report.Problems, Problem{Segment: name, Line: number, Reason: err.Error()})
		} else {
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

// nextLine returns a line without its newline. It returns an unterminated last line with io.EOF. It truncates an
// overlong line, which then cannot be decoded.
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

// tailBytes is the number of bytes that Last reads at the end of an open segment.
const tailBytes = 512 << 10

// ReadLast calls use for the newest records, in the order of writing: the records at the end of the newest segment that has
// any. It skips unreadable lines.
func ReadLast(dir string, use func(Record)) error {
	all, err := segments(dir)
	if err != nil {
		return fmt.Errorf("read the end of the journal: %w", err)
	}
	for _, s := range slices.Backward(all) {
		found, err := readTail(s, use)
		if err != nil {
			return fmt.Errorf("read the end of the journal: %w", err)
		}
		if found {
			return nil
		}
	}
	return nil
}

// readTail calls use for the last records of a segment, and reports whether it has any.
func readTail(s segment, use func(Record)) (found bool, err error) {
	var report Report
	take := func(r Record) error { use(r); return nil }
	if s.closed {
		err = readSegment(s, take, &report)
		return report.Records > 0, err
	}
	file, err := os.Open(s.path)
	if errors.Is(err, fs.ErrNotExist) { // removed since the directory was listed
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	end, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = file.Seek(max(0, end-tailBytes), io.SeekStart)
	}
	if err != nil {
		return false, err
	}
	lines := bufio.NewReaderSize(file, readBytes)
	if end > tailBytes { // the read began in the middle of a line
		_, _ = nextLine(lines)
	}
	err = readLines(lines, s, take, &report)
	return report.Records > 0, err
}
