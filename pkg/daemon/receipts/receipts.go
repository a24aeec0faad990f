// Package receipts records which of the user's memories are no longer injected because of the user's later words, and
// notifies the user of each once. It decides nothing.
package receipts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
)

// Receipt names a memory of the user's that is no longer injected. It has no text that a purge would have to clean.
type Receipt struct {
	Project string `json:"project"`
	Run     string `json:"run"`
	Memory  string `json:"memory"`
	By      string `json:"by,omitempty"` // id of the fact that replaced it; empty if the work is done
	// Again is set if the memory is still injected, and the user has stated it timesForARule times.
	Again bool `json:"again,omitempty"`
}

// timesForARule is the number of times that the user states something before it is offered as a line of CLAUDE.md.
const timesForARule = 3

// Offer returns a text that offers a memory as a rule, if the user has stated it timesForARule times, else "".
func Offer(m memory.Memory) string {
	if m.Said() != timesForARule {
		return ""
	}
	return fmt.Sprintf("you said it %d times; memory rule %s adds it to CLAUDE.md", timesForARule, memory.ShortID(m.ID))
}

// Receipts stores pending receipts in a file. Its methods are safe for concurrent use.
type Receipts struct {
	File  string
	Store memory.RowReader
	Log   *slog.Logger

	mu sync.Mutex // guards the file
}

// most is the maximum number of runs of a project with pending receipts. Distilling many old sessions at once makes many.
const most = 3

// Next returns a line for the user about a project's oldest receipt, with the run to undo if the replacement is wrong. It removes
// this receipt and the others of its run. The line is empty if there is no receipt, or if the memory was restored meanwhile.
func (r *Receipts) Next(ctx context.Context, project string) (line, run string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all, err := r.read()
	if err != nil {
		r.Log.Warn("the user is not told which memories were replaced", "error", err)
	}
	for i, one := range all {
		if one.Project != project {
			continue
		}
		rows, err := r.Store.Rows(ctx, memory.WithIDs(slices.DeleteFunc([]string{one.Memory, one.By}, func(id string) bool { return id == "" })))
		if err != nil {
			return "", ""
		}
		line := one.line(rows)
		left := slices.DeleteFunc(slices.Delete(all, i, i+1), func(other Receipt) bool { return line != "" && one.Run != "" && other.Run == one.Run })
		if more := len(all) - 1 - len(left); more > 0 {
			line = strings.Replace(line, "; to undo this", fmt.Sprintf(", and %d more; to undo all", more), 1)
		}
		if err := r.write(left); err != nil {
			r.Log.Warn("the user is told again which memories were replaced", "error", err)
		}
		return line, one.Run
	}
	return "", ""
}

// line returns the text for the user, or "" if the memory was restored or taken back.
func (r Receipt) line(rows []memory.Row) string {
	var old, by, fact string
	for _, row := range rows {
		switch {
		case r.Again && row.Memory.IsRecallable() && row.SupersededBy == "":
			if offer := Offer(row.Memory); offer != "" {
				return fmt.Sprintf("surrealdb-memory: %s: %s. If you did not repeat it", Named(row.Memory.Content), offer)
			}
		case row.Memory.ID == r.Memory && !row.Memory.IsTakenBack() && (row.Memory.Status != memory.StatusActive || row.SupersededBy != ""):
			old = row.Memory.Content
		case row.Memory.ID == r.By:
			by, fact = ownWords(row.Memory), row.Memory.Content
		}
	}
	switch {
	case old == "", by == "" && r.By != "":
		return ""
	case r.By == "":
		return fmt.Sprintf("surrealdb-memory archived %s, because you said that it is done; to undo this", Named(old))
	}
	if strings.Contains(strings.ToLower(old), strings.ToLower(by)) { // the fact says the same in the model's words
		return fmt.Sprintf("surrealdb-memory replaced %s by %s; to undo this", Named(old), Named(fact))
	}
	return fmt.Sprintf("surrealdb-memory replaced %s by your later words %s; to undo this", Named(old), Named(by))
}

// ownWords returns the quote that a fact rests on, or else its text.
func ownWords(m memory.Memory) string {
	passage, _, _ := strings.Cut(m.Detail, "\n")
	if passage = strings.Trim(passage, `"`); passage != "" {
		return passage
	}
	return m.Content
}

// mostNamed is the maximum number of bytes quoted of a memory's text.
const mostNamed = 120

// Named returns the beginning of a memory's text, in quotation marks.
func Named(text string) string { return defuse.Quote(memory.CutWords(defuse.Line(text), mostNamed)) }

// Add stores receipts, and drops the oldest ones of a project beyond most.
func (r *Receipts) Add(news ...Receipt) error {
	if len(news) == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	all, err := r.read()
	if err != nil {
		return err
	}
	all = append(all, news...)
	kept, runs := []Receipt{}, map[string]map[string]bool{} // runs by project
	for i, one := range slices.Backward(all) {
		if runs[one.Project] == nil {
			runs[one.Project] = map[string]bool{}
		}
		runs[one.Project][cmp.Or(one.Run, fmt.Sprint(i))] = true
		if len(runs[one.Project]) <= most {
			kept = append(kept, one)
		}
	}
	slices.Reverse(kept)
	return r.write(kept)
}

func (r *Receipts) read() (all []Receipt, err error) {
	err = atomicfile.ReadJSON(r.File, &all)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the notices about replaced memories from %s: %w", r.File, err)
	}
	return all, nil
}

func (r *Receipts) write(all []Receipt) error {
	if len(all) == 0 {
		return os.Remove(r.File)
	}
	return atomicfile.WriteJSON(r.File, all)
}
