package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy/rules"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/statement"
)

// Dedup plans the merging of duplicates. Rows are
// compared within one scope, project and kind (all kinds of a person's statements are one, but for todos), if they are
// in sight. Of duplicates the best by a total order survives and the others are merged into it; each of them was
// compared with the survivor itself, so that a chain of similar rows is not merged into one. A row that was
// seen after the one that superseded it is current again. Edits and successful commands are left alone: they record
// events, and so are exempt rows.
//
// Rows may be a selection: the changed rows with their candidates by Bands. Of rows that are alike by the hundred each
// is compared with the nearest in order, until rules.MostCandidates of these have turned out to be something else; the
// plan notes that.
func Dedup(now Now, rows []Row) (Plan, error) {
	if err := validate(now, rows); err != nil {
		return Plan{}, fmt.Errorf("plan deduplication: %w", err)
	}
	d := dedup{
		draft: newDraft(rows), statements: map[string]statement.Statement{}, keys: map[string][]string{},
	}
	var considered []Row
	for _, row := range rows {
		if row.alive() {
			considered = append(considered, row)
			d.read(row)
		}
	}
	d.merge(considered)
	d.reinstate(considered)
	if d.isCut {
		d.note(fmt.Sprintf("many memories are alike: each was compared with the %d nearest others, and not with all", rules.MostCandidates))
	}
	return d.plan(), nil
}

type dedup struct {
	*draft
	statements map[string]statement.Statement
	keys       map[string][]string // band keys within the row's scope, project and kind
	isCut      bool                // a row had more candidates than it was compared with
}

func (d *dedup) read(row Row) {
	s := statement.Parse(row.Memory.Content)
	d.statements[row.Memory.ID], d.keys[row.Memory.ID] = s, s.Keys(row.group())
}

// current returns the rows as the draft has them, active ones only.
func (d *dedup) current(rows []Row) []Row {
	var left []Row
	for _, row := range rows {
		if now, _ := d.row(row.Memory.ID); now.alive() {
			left = append(left, now)
		}
	}
	return left
}

// merge merges into each row, the best first, its duplicates that are not merged yet.
func (d *dedup) merge(rows []Row) {
	taken := map[string]bool{}
	buckets := newBuckets(slices.DeleteFunc(slices.Clone(rows), func(row Row) bool { return row.Exempt }), better,
		func(row Row) []string { return d.keys[row.Memory.ID] })
	for i, survivor := range buckets.rows {
		if taken[survivor.Memory.ID] {
			continue
		}
		var others []Row
		d.candidates(buckets, i, taken, func(other Row) bool {
			if other.Memory.Pinned || !d.same(survivor, other) {
				return false
			}
			others = append(others, other)
			return true
		})
		if len(others) > 0 {
			slices.SortFunc(others, better)
			d.mergeInto(survivor, others, func(Row) string { return "the words differ only in some that add no meaning" })
		}
	}
}

// same reports whether two rows are duplicates: the same words in any case and spacing or, of a model's
// facts, texts that say the same. A fact never is a duplicate of a person's statement: the line would name the
// wrong author of its words.
func (d *dedup) same(a, b Row) bool {
	switch {
	case a.Memory.IsFact() != b.Memory.IsFact():
		return false
	case strings.EqualFold(memory.Normalise(a.Memory.Content), memory.Normalise(b.Memory.Content)):
		return true
	}
	return a.Memory.Source != memory.SourceUser && b.Memory.Source != memory.SourceUser && d.statements[a.Memory.ID].Same(d.statements[b.Memory.ID])
}

// reinstate makes a superseded row current again if it was seen after the row that stands in its place, which it
// then supersedes: both change, or neither.
func (d *dedup) reinstate(rows []Row) {
	for _, old := range slices.SortedFunc(slices.Values(d.current(rows)), newer) {
		row, _ := d.row(old.Memory.ID)
		by, known := d.successor(row)
		if !known || row.Exempt || newer(row, by) > 0 || !by.correctable(row) || by.UserWritten && !row.UserWritten {
			continue
		}
		s := row.State()
		s.SupersededBy = ""
		d.change(KindReinstate, row.With(s), "was seen again after "+by.Memory.ID+", which had corrected it")
		s = by.State()
		s.SupersededBy = row.Memory.ID
		d.change(KindSupersede, by.With(s), "corrected by "+row.Memory.ID+", which was seen again")
	}
}

// successor returns the row that stands in the place of a superseded one: the last of those that correct each other.
// It is not known if one of them is not among the rows, or is not active.
func (d *dedup) successor(row Row) (by Row, known bool) {
	passed := map[string]bool{}
	for row.SupersededBy != "" && !passed[row.Memory.ID] {
		passed[row.Memory.ID] = true
		if by, known = d.row(row.SupersededBy); !known || !by.alive() {
			return by, false
		}
		row = by
	}
	return by, known && row.SupersededBy == ""
}

// candidates calls removes with the rows after a place that share a key with the row there and are not gone, and notes
// those that it removes as gone: of the rarest key first, in their order. It ends after the most rows that a row is
// compared with in vain.
func (d *dedup) candidates(in buckets, place int, gone map[string]bool, removes func(Row) bool) {
	inVain := 0
	for _, bucket := range in.after(place) {
		for _, at := range bucket {
			row := in.rows[at]
			if in.seenFor[at] == place+1 || gone[row.Memory.ID] {
				continue
			}
			if in.seenFor[at] = place + 1; inVain == rules.MostCandidates {
				d.isCut = true
				return
			}
			if removes(row) {
				gone[row.Memory.ID] = true
			} else {
				inVain++
			}
		}
	}
}

// correctable reports whether a row of the trust of by may stand in the place of r.
func (r Row) correctable(by Row) bool {
	return !r.Exempt && !r.Memory.Pinned && by.Memory.Source.Trust() >= r.Memory.Source.Trust()
}

// buckets finds for each row the later ones that share a key with it.
type buckets struct {
	rows    []Row
	keys    [][]string
	in      map[string][]int // places in rows, ascending
	seenFor []int            // of each row, the place after that of the last one that it was a candidate of
}

func newBuckets(rows []Row, order func(a, b Row) int, keysOf func(Row) []string) buckets {
	b := buckets{rows: slices.SortedFunc(slices.Values(rows), order), in: map[string][]int{}}
	b.keys, b.seenFor = make([][]string, len(b.rows)), make([]int, len(b.rows))
	for i, row := range b.rows {
		b.keys[i] = keysOf(row)
		for _, key := range b.keys[i] {
			b.in[key] = append(b.in[key], i)
		}
	}
	return b
}

// after are the places after one whose rows share a key with the row there: a list for each key, the shortest first.
func (b buckets) after(place int) [][]int {
	lists := make([][]int, 0, len(b.keys[place]))
	for _, key := range b.keys[place] {
		bucket := b.in[key]
		from, _ := slices.BinarySearch(bucket, place+1)
		lists = append(lists, bucket[from:])
	}
	slices.SortStableFunc(lists, func(x, y []int) int { return cmp.Compare(len(x), len(y)) })
	return lists
}
