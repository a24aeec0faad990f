package importer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer/format"
)

// takenBack returns the entries of a transcript, by number from 0, that the user took back later; nil without any. It
// parses the transcript only if a line has the mark of such a line.
func takenBack(ctx context.Context, t Transcript) (map[int]bool, error) {
	mark := t.format().RollsBack
	if mark == "" {
		return nil, nil
	}
	found := false
	err := eachLine(ctx, t, func(line line) bool {
		found = bytes.Contains(line.text, []byte(mark))
		return !found
	})
	if err != nil || !found {
		return nil, err
	}
	all := history{gone: map[int]bool{}}
	reader := t.format().New(t.File)
	err = eachLine(ctx, t, func(line line) bool {
		if !line.tooLong {
			entries, _ := reader.Entries(line.text) // a broken line has none
			all.add(entries)
		}
		return true
	})
	return all.gone, err
}

// eachLine reads the lines of a transcript until goesOn returns false.
func eachLine(ctx context.Context, t Transcript, goesOn func(line) bool) error {
	f, _, err := Open(t.File)
	if err != nil {
		return fmt.Errorf("read the transcript: %w", err)
	}
	defer func() { _ = f.Close() }()
	lines := lineReader{r: bufio.NewReaderSize(f, 64<<10)}
	for {
		line, err := lines.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err == nil:
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", t.File, err)
		}
		if !goesOn(line) {
			return nil
		}
	}
}

// history tracks the remaining entries of a transcript.
type history struct {
	left []past
	next int // the number of the next entry
	gone map[int]bool
}

// past is an entry that was read.
type past struct {
	number   int
	isPrompt bool
}

func (h *history) add(entries []format.Entry) {
	for _, e := range entries {
		h.takeBack(e.TakesBack)
		h.left = append(h.left, past{h.next, e.Prompt != ""})
		h.next++
	}
}

// takeBack removes the last prompts, and all entries behind the first of them.
func (h *history) takeBack(prompts int) {
	from := len(h.left)
	for prompts > 0 && from > 0 {
		if from--; h.left[from].isPrompt {
			prompts--
		}
	}
	for _, p := range h.left[from:] {
		h.gone[p.number] = true
	}
	h.left = h.left[:from]
}
