package importer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer/format"
)

// reverted returns the entries of a transcript, by number from 0, that the user reverted later; nil without any: the
// transcript is read as a whole only if a line contains a rewind.
func reverted(ctx context.Context, t Transcript) (map[int]bool, error) {
	mark := t.format().Rewinds
	if mark == "" {
		return nil, nil
	}
	any := false
	err := eachLine(ctx, t, func(line line) bool {
		any = bytes.Contains(line.text, []byte(mark))
		return !any
	})
	if err != nil || !any {
		return nil, err
	}
	var all history
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
	f, _, err := t.open()
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
	id       string
	isPrompt bool
}

func (h *history) add(entries []format.Entry) {
	for _, e := range entries {
		if e.Rewind != nil {
			h.rewind(*e.Rewind)
		}
		h.left = append(h.left, past{h.next, e.ID, client.Typed(e.Prompt) != ""})
		h.next++
	}
}

func (h *history) rewind(r format.Rewind) {
	if len(r.IDs) > 0 {
		h.left = slices.DeleteFunc(h.left, func(p past) bool {
			isIn := slices.Contains(r.IDs, p.id)
			if isIn {
				h.drop(p)
			}
			return isIn
		})
		return
	}
	from := len(h.left)
	switch {
	case r.From != "":
		from = slices.IndexFunc(h.left, func(p past) bool { return p.id == r.From })
		if from < 0 && r.OrAll {
			from = 0
		}
	default:
		for turns := r.Turns; turns > 0 && from > 0; {
			if from--; h.left[from].isPrompt {
				turns--
			}
		}
	}
	if from < 0 {
		return
	}
	for _, p := range h.left[from:] {
		h.drop(p)
	}
	h.left = h.left[:from]
}

func (h *history) drop(p past) {
	if h.gone == nil {
		h.gone = map[int]bool{}
	}
	h.gone[p.number] = true
}
