package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// tailBytes is how much of the end of an open segment Last reads.
const tailBytes = 512 << 10

// Last hands over the newest records, in the order of writing: those at the end of the
// newest segment that has any. Unreadable lines are left out.
func Last(dir string, use func(Record)) error {
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

// readTail hands over the last records of a segment, and tells whether it has any.
func readTail(s segment, use func(Record)) (found bool, err error) {
	if s.closed {
		var report Report
		err := readSegment(s, From{}.Since, func(r Record) error { use(r); return nil }, &report)
		return report.Records > 0, err
	}
	file, err := os.Open(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return false, err
	}
	begin := max(0, info.Size()-tailBytes)
	content, err := io.ReadAll(io.NewSectionReader(file, begin, info.Size()-begin))
	if err != nil {
		return false, err
	}
	if begin > 0 { // in the middle of a line
		_, content, _ = bytes.Cut(content, []byte("\n"))
	}
	for line := range bytes.Lines(content) {
		if r, err := decode(bytes.TrimSuffix(line, []byte("\n"))); err == nil {
			use(r)
			found = true
		}
	}
	return found, nil
}
