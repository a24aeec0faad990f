package journal

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxLine is the maximum number of bytes of one line, which limits the reader's memory. An event has at most 4 MB.
const maxLine = 16 << 20

// Report counts what was read.
type Report struct {
	Records  int      // records passed to the caller
	Problems []string // lines or rests of files that could not be read and were skipped
}

func (r *Report) lost(s segment, format string, args ...any) {
	r.Problems = append(r.Problems, filepath.Base(s.path)+fmt.Sprintf(format, args...))
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

// Read calls use for each record after the segment with the name after ("": all records), in the order of writing. It
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
		if err := readSegment(s, 0, use, &report); err != nil {
			return report, fmt.Errorf("read the journal: %w", err)
		}
	}
	return report, nil
}

// readSegment calls use for the records of a segment. Of an open segment it reads only the last tail bytes, unless tail is 0.
func readSegment(s segment, tail int64, use func(Record) error, report *Report) error {
	file, err := os.Open(s.path)
	if errors.Is(err, fs.ErrNotExist) { // compressed since the directory was listed
		s.path, s.closed = s.path+".gz", true
		file, err = os.Open(s.path)
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	var content io.Reader = file
	if s.closed {
		if content, err = gzip.NewReader(file); err != nil {
			report.lost(s, ": the rest cannot be read: %v", err)
			return nil
		}
	}
	lines := bufio.NewScanner(content)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	if !s.closed && tail > 0 {
		if at, err := file.Seek(-tail, io.SeekEnd); err == nil && at > 0 { // Seek fails in a shorter file
			_ = lines.Scan() // the read begins in the middle of a line
		}
	}
	for number := 1; lines.Scan(); number++ {
		r, err := decode(lines.Bytes())
		if err != nil {
			report.lost(s, ", line %d: %v", number, err)
			continue
		}
		if err := use(r); err != nil {
			return err
		}
		report.Records++
	}
	if err := lines.Err(); err != nil {
		report.lost(s, ": the rest cannot be read: %v", err)
	}
	return nil
}

// tailBytes is the number of bytes that ReadLast reads at the end of an open segment.
const tailBytes = 512 << 10

// ReadLast calls use for the records at the end of the newest segment that has any, in the order of writing. It skips unreadable lines.
func ReadLast(dir string, use func(Record)) error {
	all, err := segments(dir)
	var report Report
	for i := len(all) - 1; i >= 0 && err == nil && report.Records == 0; i-- {
		err = readSegment(all[i], tailBytes, func(r Record) error { use(r); return nil }, &report)
	}
	if err != nil {
		return fmt.Errorf("read the end of the journal: %w", err)
	}
	return nil
}
