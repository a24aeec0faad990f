package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// copied keeps the rows of CopyOut.
type copied struct {
	contents memory.Contents
	tables   []string // of each row
	rows     [][]byte
	fail     error
}

func (c *copied) Begin(contents memory.Contents) error {
	c.contents = contents
	return nil
}

func (c *copied) Row(table string, row []byte) error {
	c.tables, c.rows = append(c.tables, table), append(c.rows, row)
	return c.fail
}

func copyOut(t *testing.T, store Store) *copied {
	t.Helper()
	var c copied
	musttest.Do(t, store.CopyOut(t.Context(), &c))
	return &c
}

func (c *copied) byTable() map[string][][]byte {
	all := map[string][][]byte{}
	for i, row := range c.rows {
		all[c.tables[i]] = append(all[c.tables[i]], row)
	}
	return all
}

// text makes rows comparable.
func (c *copied) text() []string {
	all := make([]string, 0, len(c.rows))
	for i, row := range c.rows {
		all = append(all, c.tables[i]+" "+string(row))
	}
	return all
}

// archive copies a full store into an empty one.
func archive(t *testing.T, open func(t *testing.T) Store) {
	full := open(t)
	fillArchive(t, full)
	first := copyOut(t, full)
	checkContents(t, first)

	empty := open(t)
	for table, rows := range first.byTable() {
		musttest.Do(t, empty.CopyIn(t.Context(), table, rows))
	}
	musttest.Do(t, empty.CopyIn(t.Context(), first.tables[0], first.rows[:1])) // again
	second := copyOut(t, empty)
	equal(t, "contents of the copy", first.contents, second.contents)
	equal(t, "rows of the copy", first.text(), second.text())
	equal(t, "tables of the copy", second.contents.Tables, musttest.Get(memory.TablesOf(t.Context(), empty))(t))
	equal(t, "record in the copy", musttest.Get(memory.RecordOf(t.Context(), full, "s1"))(t), musttest.Get(memory.RecordOf(t.Context(), empty, "s1"))(t))
	equal(t, "hits in the copy", recallableWith(t, full, "port"), recallableWith(t, empty, "port"))

	musttest.Is(t, memory.ErrNotFound, empty.CopyIn(t.Context(), "nowhere", first.rows[:1]), "copied into a table that is not there")
	musttest.Is(t, memory.ErrInvalid, empty.CopyIn(t.Context(), first.tables[0], [][]byte{[]byte("\xffdamaged")}), "copied a damaged row")
	stop := errors.New("stop")
	musttest.Is(t, stop, full.CopyOut(t.Context(), &copied{fail: stop}), "the sink's error came back as")
	instant(t, open(t))
}

func fillArchive(t *testing.T, store Store) {
	t.Helper()
	ingest(t, store, FullBatch())
	var many memory.Batch
	for i := range 250 { // several pages
		m := note("p", fmt.Sprintf("fact %d says é\x01 \"%s\"", i, strings.Repeat("x", i)), minute(i))
		m.Importance, m.Tags = float64(i%10)/10, nil
		many.Memories = append(many.Memories, m)
		many.Sightings = append(many.Sightings, memory.Sighting{ID: fmt.Sprint("many", i), Memory: m.ID, Session: "s1", At: minute(i)})
		if len(many.Memories) == 50 {
			ingest(t, store, many)
			many = memory.Batch{}
		}
	}
	ingest(t, store, memory.Batch{Sessions: []memory.Session{ended(session("s2", "p"), minute(9))}}, summing("s2", memory.Summary{Text: "done"}))
	moved := change(1)
	moved.Reason, moved.Content = "it moved", "the port is 7654"
	amend(t, store, FullBatch().Memories[0].ID, moved)
}

func checkContents(t *testing.T, c *copied) {
	t.Helper()
	want := 0
	for _, table := range c.contents.Tables {
		want += table.Rows
		n := 0
		for _, name := range c.tables {
			if name == table.Name {
				n++
			}
		}
		musttest.Same(t, table.Rows, n, "%s: rows (-announced +copied)", table.Name)
	}
	if want != len(c.rows) || want < 500 {
		t.Errorf("%d rows were announced and %d came", want, len(c.rows))
	}
	order := slices.Compact(slices.Clone(c.tables))
	var announced []string
	for _, table := range c.contents.Tables {
		if table.Rows > 0 {
			announced = append(announced, table.Name)
		}
	}
	equal(t, "order of the tables", announced, order)
}

// instant writes while the store is copied.
func instant(t *testing.T, store Store) {
	t.Helper()
	ctx := t.Context()
	ingest(t, store, FullBatch())
	sink := &writing{copied: copied{}, write: func() error {
		other := FullBatch()
		other.Prompts[0].ID = "late"
		other.Memories = append(other.Memories, note("p", "written meanwhile", minute(7)))
		return store.Ingest(ctx, other)
	}}
	musttest.Do(t, store.CopyOut(ctx, sink))
	for i, row := range sink.rows {
		if strings.Contains(string(row), "late") || strings.Contains(string(row), "meanwhile") {
			t.Errorf("a row of %s that was written meanwhile was copied", sink.tables[i])
		}
	}
	musttest.Same(t, 2, len(recallableRows(t, store, "p")), "how many memories are there")
}

// writing is a sink that writes to the store as soon as the copy has begun.
type writing struct {
	copied
	write func() error
}

func (w *writing) Begin(c memory.Contents) error {
	if err := w.copied.Begin(c); err != nil {
		return err
	}
	return w.write()
}
