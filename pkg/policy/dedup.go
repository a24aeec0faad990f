package policy

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy/rules"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/sketch"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/statement"
)

// Dedup plans the merging of rows that say the same, and the superseding of rows that later ones correct. Rows are
// compared within one scope, project and kind (all kinds of a person's statements are one, but for todos), if they are
// in sight. Of duplicates the best by a total order survives and the others are merged into it; each of them was
// compared with the survivor itself, so that a chain of similar rows is not merged into one. Of corrections the row
// that was seen last supersedes the others, and both stay; a person's statement that something no longer holds
// supersedes the statements of it (see statement.Supersedes), and a rejection by the user the conclusion that it
// answers.
//
// Only rows that state a fact can be corrected (a failure with another number is another failure). Pinned rows never
// are. A row that the user asked for is corrected only by another such row, or by a typed sentence that names the value
// that no longer holds; no row is corrected by a less trusted source. Edits and successful commands are left alone:
// they record events. So are kept rows, though they correct others.
//
// Rows may be a selection: the changed rows with their candidates by Keys.
func Dedup(now Now, rows []Row) (Plan, error) {
	if err := validate(now, rows); err != nil {
		return Plan{}, fmt.Errorf("plan deduplication: %w", err)
	}
	d := dedup{draft: newDraft(rows), said: map[string]statement.Statement{}, keys: map[string][]string{}, plain: map[string][]string{}, subjects: map[string][]string{}, rejected: map[string][]string{}}
	var considered []Row
	for _, row := range rows {
		if row.alive() && row.Memory.Kind.Searchable() {
			considered = append(considered, row)
			d.read(row)
		}
	}
	d.merge(considered)
	d.reinstate(considered)
	d.supersede(considered)
	return d.plan(), nil
}

type dedup struct {
	*draft
	said map[string]statement.Statement
	keys map[string][]string // band keys within the row's scope, project and kind
	// The keys of sentences that differ only in trifles, and the keys of the subjects
	// that a statement retires or may have retired.
	plain, subjects map[string][]string
	// The keys of the conclusions that a rejection answers.
	rejected map[string][]string
}

func (d *dedup) read(row Row) {
	m := row.Memory
	s := statement.Parse(m.Content)
	d.said[m.ID], d.keys[m.ID] = s, s.Keys(row.group())
	d.plain[m.ID], d.subjects[m.ID], d.rejected[m.ID] = row.plainKeys(), row.subjectKeys(), row.rejectedKeys()
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
	buckets := newBuckets(rows, better, func(row Row) []string {
		// Only rows that agree in their values can be merged, so only those are
		// compared.
		return append(suffixed(d.keys[row.Memory.ID], d.said[row.Memory.ID].Values()), d.plain[row.Memory.ID]...)
	})
	for i, survivor := range buckets.rows {
		if taken[survivor.Memory.ID] || survivor.Kept {
			continue
		}
		var others []Row
		reasons := map[string]string{}
		for _, j := range buckets.after(i) {
			other := buckets.rows[j]
			if taken[other.Memory.ID] || other.Memory.Pinned || other.Kept {
				continue
			}
			if why := d.same(survivor, other); why != "" {
				taken[other.Memory.ID], reasons[other.Memory.ID] = true, why
				others = append(others, other)
			}
		}
		if len(others) > 0 {
			d.takeIn(survivor, others, func(other Row) string { return reasons[other.Memory.ID] })
		}
	}
}

// same says why two rows say the same, or nothing. A model's fact is never the same as a
// person's statement: its line would say that somebody else worded it.
func (d *dedup) same(a, b Row) string {
	if a.Memory.IsModelWritten() != b.Memory.IsModelWritten() {
		return ""
	}
	if c := d.compare(a, b); c.Relation == statement.Duplicate {
		return c.Reason
	}
	if a.sentence() && b.sentence() && d.near(a, b) && statement.Same(a.Memory.Content, b.Memory.Content) {
		return "the words differ only in spaces, hyphens or words without meaning"
	}
	return ""
}

// nearlySimilar is the similarity from which two sentences may be the same without
// their filler words; parsing them again costs too much for all that share a key.
const nearlySimilar = 0.5

func (d *dedup) near(a, b Row) bool {
	return slices.Equal(d.plain[a.Memory.ID], d.plain[b.Memory.ID]) || d.said[a.Memory.ID].Similarity(d.said[b.Memory.ID]) >= nearlySimilar
}

func (d *dedup) compare(a, b Row) statement.Comparison {
	x, y := d.said[a.Memory.ID], d.said[b.Memory.ID]
	if x.Similarity(y) < rules.Similarity { // most candidates: no reason has to be worded
		return statement.Comparison{Relation: statement.Distinct}
	}
	return x.Compare(y)
}

// reinstate makes a superseded row current again if it was seen after the row that
// corrected it.
func (d *dedup) reinstate(rows []Row) {
	for _, row := range slices.SortedFunc(slices.Values(d.current(rows)), newer) {
		by, known := d.row(row.SupersededBy)
		if !known || row.Kept || newer(row, by) > 0 {
			continue
		}
		s := row.State()
		s.SupersededBy = ""
		d.change(KindReinstate, row.With(s), "was seen again after "+by.Memory.ID+", which had corrected it")
	}
}

// supersede lets each current row, the newest first, correct the older ones that are
// not corrected yet.
func (d *dedup) supersede(rows []Row) {
	facts := slices.DeleteFunc(d.current(rows), func(row Row) bool { return row.Memory.Kind == memory.KindFailure })
	corrected := map[string]bool{}
	buckets := newBuckets(facts, newer, func(row Row) []string {
		keys := slices.Concat(d.keys[row.Memory.ID], d.subjects[row.Memory.ID], d.rejected[row.Memory.ID])
		if row.Memory.IsConclusion() {
			keys = append(keys, d.plain[row.Memory.ID]...)
		}
		return keys
	})
	for i, by := range buckets.rows {
		if corrected[by.Memory.ID] || by.SupersededBy != "" {
			continue
		}
		for _, j := range buckets.after(i) {
			old := buckets.rows[j]
			if corrected[old.Memory.ID] || old.SupersededBy != "" || !old.correctable(by) {
				continue
			}
			why := d.corrects(by, old)
			if why == "" {
				continue
			}
			corrected[old.Memory.ID] = true
			s := old.State()
			s.SupersededBy = by.Memory.ID
			d.change(KindSupersede, old.With(s), "corrected by the newer "+by.Memory.ID+": "+why)
		}
	}
}

// corrects says why a row makes an older one false, or nothing. Only statements of
// people retire anything: programs and models report all the time that something is
// gone.
func (d *dedup) corrects(by, old Row) string {
	mayReword := !old.UserWritten || by.UserWritten
	if mayReword && by.group() == old.group() {
		if c := d.compare(by, old); c.Relation == statement.Update {
			return c.Reason
		}
	}
	if mayReword && old.Memory.IsConclusion() && old.Memory.Source != memory.SourceUser && intersect(d.rejected[by.Memory.ID], d.plain[old.Memory.ID]) {
		return "the user rejected it"
	}
	if !intersect(d.subjects[by.Memory.ID], d.subjects[old.Memory.ID]) || !mayReword && !statement.RetiresValue(by.Memory.Content) {
		return ""
	}
	if is, why := statement.Supersedes(by.Memory.Content, old.Memory.Content); is {
		return why
	}
	return ""
}

func intersect(a, b []string) bool {
	return slices.ContainsFunc(a, func(key string) bool { return slices.Contains(b, key) })
}

func (r Row) correctable(by Row) bool {
	return !r.Kept && !r.Memory.Pinned && by.Memory.Source.Trust() >= r.Memory.Source.Trust()
}

// buckets finds for each row the later ones that share a key with it.
type buckets struct {
	rows []Row
	keys [][]string
	in   map[string][]int // positions in rows, ascending
}

func newBuckets(rows []Row, order func(a, b Row) int, keysOf func(Row) []string) buckets {
	b := buckets{rows: slices.SortedFunc(slices.Values(rows), order), in: map[string][]int{}}
	b.keys = make([][]string, len(b.rows))
	for i, row := range b.rows {
		b.keys[i] = keysOf(row)
		for _, key := range b.keys[i] {
			b.in[key] = append(b.in[key], i)
		}
	}
	return b
}

func (b buckets) after(i int) []int {
	var found []int
	for _, key := range b.keys[i] {
		bucket := b.in[key]
		from, _ := slices.BinarySearchFunc(bucket, i+1, cmp.Compare[int])
		found = append(found, bucket[from:]...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func suffixed(keys, values []string) []string {
	suffix := string(binary.BigEndian.AppendUint64(nil, sketch.Hash(strings.Join(values, "\x00"))))
	made := make([]string, len(keys))
	for i, key := range keys {
		made[i] = key + suffix
	}
	return made
}
