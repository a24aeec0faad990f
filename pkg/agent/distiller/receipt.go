package distiller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// receipt names a memory of the user's that is not injected any more, because the user's later words say so. It has no
// text, so that a purge has nothing to take out of it.
type receipt struct {
	Project string `json:"project"`
	Run     string `json:"run"`
	Memory  string `json:"memory"`
	By      string `json:"by,omitempty"` // the fact in its place; empty for work that is done
}

// mostReceipts bounds the receipts of a project that wait to be shown: a past that is distilled at once makes many.
const mostReceipts = 3

// Receipt returns a line for the user, once for each of the user's memories that a model has replaced by the user's later words, and the
// run that is to be undone if that is wrong; empty if there is nothing to tell. What was brought back meanwhile is left out.
func (d *Distiller) Receipt(ctx context.Context, project string) (line, run string) {
	d.receipts.Lock()
	defer d.receipts.Unlock()
	all, err := d.readReceipts()
	if err != nil {
		d.Log.Warn("the user is not told which memories were replaced", "error", err)
	}
	for i, one := range all {
		if one.Project != project {
			continue
		}
		rows, err := d.Store.Rows(ctx, memory.WithIDs(slices.DeleteFunc([]string{one.Memory, one.By}, func(id string) bool { return id == "" })))
		if err != nil {
			return "", ""
		}
		if err := d.writeReceipts(slices.Delete(all, i, i+1)); err != nil {
			d.Log.Warn("which memories were replaced is told again", "error", err)
		}
		return one.line(rows), one.Run
	}
	return "", ""
}

// line is empty if the memory stands again.
func (r receipt) line(rows []memory.Row) string {
	var old, by string
	for _, row := range rows {
		switch {
		case row.Memory.ID == r.Memory && (row.Memory.Status != memory.StatusActive || row.SupersededBy != ""):
			old = row.Memory.Content
		case row.Memory.ID == r.By:
			by = ownWords(row.Memory)
		}
	}
	switch {
	case old == "", by == "" && r.By != "":
		return ""
	case r.By == "":
		return fmt.Sprintf("surrealdb-memory: %s is no longer injected, because you said that it is done; to have it back", named(old))
	}
	return fmt.Sprintf("surrealdb-memory: %s is no longer injected: you said %s later; to have it back", named(old), named(by))
}

// ownWords is the passage that a fact rests on, or else its text.
func ownWords(m memory.Memory) string {
	passage, _, _ := strings.Cut(m.Detail, "\n")
	if passage = strings.Trim(passage, `"`); passage != "" {
		return passage
	}
	return m.Content
}

// mostNamed bounds the named part of a text, in bytes.
const mostNamed = 120

func named(text string) string { return defuse.Quote(memory.CutWords(defuse.Line(text), mostNamed)) }

// addReceipts notes what the user is to be told.
func (d *Distiller) addReceipts(news []receipt) error {
	if len(news) == 0 || d.Receipts == "" {
		return nil
	}
	d.receipts.Lock()
	defer d.receipts.Unlock()
	all, err := d.readReceipts()
	if err != nil {
		return err
	}
	all = append(all, news...)
	kept, of := []receipt{}, map[string]int{}
	for _, one := range slices.Backward(all) {
		if of[one.Project]++; of[one.Project] <= mostReceipts {
			kept = append(kept, one)
		}
	}
	slices.Reverse(kept)
	return d.writeReceipts(kept)
}

func (d *Distiller) readReceipts() (all []receipt, err error) {
	text, err := os.ReadFile(d.Receipts)
	if d.Receipts == "" || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("what the user is to be told about replaced memories: %s: %w", d.Receipts, err)
	}
	return all, nil
}

func (d *Distiller) writeReceipts(all []receipt) error {
	if len(all) == 0 {
		return os.Remove(d.Receipts)
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return atomicfile.Write(d.Receipts, 0o600, text)
}
