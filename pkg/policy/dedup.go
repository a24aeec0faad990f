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

// Dedup plans the merging of duplicates, and the superseding of rows that later ones correct. Rows are
// compared within one scope, project and kind (all kinds of a person's statements are one, but for todos), if they are
// in sight. Of duplicates the best by a total order survives and the others are merged into it; each of them was
// compared with the survivor itself, so that a chain of similar rows is not merged into one. Of corrections the row
// that was seen last supersedes the others, and both stay; a person's statement that something no longer holds
// supersedes the statements of it (see statement.Supersedes), and a rejection by the user the conclusion that it
// answers. Of facts of one area whose titles contradict each other the newer supersedes the older.
//
// Only rows that state a fact can be corrected (a failure with another number is another failure). Pinned rows never
// are. A row that the user asked for is corrected only by another such row, or by a typed sentence that names the value
// that no longer holds; no row is corrected by a less trusted source. Edits and successful commands are left alone:
// they record events. So are exempt rows, though they correct others.
//
// Rows may be a selection: the changed rows with their candidates by Bands. Of rows that are alike by the hundred each
// is compared with the nearest in order, until rules.MostCandidates of these have turned out to be something else; the
// plan notes that.
func Dedup(now Now, rows []Row) (Plan, error) {
	if err := validate(now, rows); err != nil {
		return Plan{}, fmt.Errorf("plan deduplication: %w", err)
	}
	d := dedup{
		draft: newDraft(rows), sentences: map[string]*statement.Sentence{}, keys: map[string][]string{},
		plain: map[string][]string{}, subjects: map[string][]string{}, rejected: map[string][]string{},
	}
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
	d.contradict(considered)
	if d.isCut {
		d.note(fmt.Sprintf("many memories are alike: each was compared with the %d nearest others, and not with all", rules.MostCandidates))
	}
	return d.plan(), nil
}

type dedup struct {
	*draft
	sentences map[string]*statement.Sentence
	keys      map[string][]string // band keys within the row's scope, project and kind
	// The keys of sentences that differ only in trifles, and the keys of the subjects
	// that a statement retires or may have retired.
	plain, subjects map[string][]string
	// The keys of the conclusions that a rejection answers.
	rejected map[string][]string
	isCut    bool // a row had more candidates than it was compared with
}

func (d *dedup) read(row Row) {
	m := row.Memory
	s := statement.Read(m.Content)
	d.sentences[m.ID], d.keys[m.ID] = s, s.Keys(row.group())
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
	buckets := newBuckets(slices.DeleteFunc(slices.Clone(rows), func(row Row) bool { return row.Exempt }), better,
		func(row Row) []string {
			// Only rows that agree in their values can be merged, so only those are
			// compared.
			return append(suffixed(d.keys[row.Memory.ID], d.sentences[row.Memory.ID].Values()), d.plain[row.Memory.ID]...)
		})
	for i, survivor := range buckets.rows {
		if taken[survivor.Memory.ID] {
			continue
		}
		var others []Row
		reasons := map[string]string{}
		d.candidates(buckets, i, taken, func(other Row) bool {
			if other.Memory.Pinned {
				return false
			}
			why := d.same(survivor, other)
			if why == "" {
				return false
			}
			reasons[other.Memory.ID] = why
			others = append(others, other)
			return true
		})
		if len(others) > 0 {
			slices.SortFunc(others, better)
			d.mergeInto(survivor, others, func(other Row) string { return reasons[other.Memory.ID] })
		}
	}
}

// same explains why two rows are duplicates; empty if they are not. A model's fact never is a
// duplicate of a person's statement: the line would name the wrong author of its words.
func (d *dedup) same(a, b Row) string {
	if a.Memory.IsFact() != b.Memory.IsFact() {
		return ""
	}
	if c := d.compare(a, b); c.Relation == statement.Duplicate {
		return c.Reason
	}
	if a.sentence() && b.sentence() && d.near(a, b) && d.sentences[a.Memory.ID].Same(d.sentences[b.Memory.ID]) {
		return "the words differ only in spaces, hyphens or words without meaning"
	}
	return ""
}

// nearlySimilar is the similarity from which two sentences may be the same without
// their filler words.
const nearlySimilar = 0.5

func (d *dedup) near(a, b Row) bool {
	return slices.Equal(d.plain[a.Memory.ID], d.plain[b.Memory.ID]) ||
		d.sentences[a.Memory.ID].Similarity(d.sentences[b.Memory.ID].Statement) >= nearlySimilar
}

func (d *dedup) compare(a, b Row) statement.Comparison {
	x, y := d.sentences[a.Memory.ID], d.sentences[b.Memory.ID]
	if x.Similarity(y.Statement) < rules.Similarity { // most candidates: no reason has to be worded
		return statement.Comparison{Relation: statement.Distinct}
	}
	return x.Compare(y.Statement)
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

// supersede lets each current row, the newest first, correct the older ones that are
// not corrected yet.
func (d *dedup) supersede(rows []Row) {
	facts := slices.DeleteFunc(d.current(rows), func(row Row) bool {
		return row.Memory.Kind == memory.KindFailure ||
			row.SupersededBy != ""
	})
	corrected := map[string]bool{}
	buckets := newBuckets(facts, newer, func(row Row) []string {
		keys := slices.Concat(d.keys[row.Memory.ID], d.subjects[row.Memory.ID], d.rejected[row.Memory.ID])
		if row.Memory.IsConclusion() {
			keys = append(keys, d.plain[row.Memory.ID]...)
		}
		return keys
	})
	for i, by := range buckets.rows {
		if corrected[by.Memory.ID] {
			continue
		}
		d.candidates(buckets, i, corrected, func(old Row) bool {
			if !old.correctable(by) {
				return false
			}
			why := d.corrects(by, old)
			if why == "" {
				return false
			}
			s := old.State()
			s.SupersededBy = by.Memory.ID
			d.change(KindSupersede, old.With(s), "corrected by the newer "+by.Memory.ID+": "+why)
			d.inherit(by, old)
			return true
		})
	}
}

// inherit gives a typed correction the weight of the row that it corrects, if somebody asked to
// keep that: it stands in its place.
func (d *draft) inherit(by, old Row) {
	wasKept := old.UserWritten || old.Memory.Importance >= memory.ConfirmedImportance
	now, _ := d.row(by.Memory.ID)
	if !wasKept || by.UserWritten || by.Memory.Source != memory.SourceUser || now.Memory.Importance >= memory.ConfirmedImportance {
		return
	}
	s := now.State()
	s.Importance = memory.ConfirmedImportance
	d.change(KindPromote, now.With(s), "stands in the place of "+old.Memory.ID+", which it corrects and which was to be kept")
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

// corrects explains why a row makes an older one false; empty if it does not. Only statements of
// people retire anything: programs and models report all the time that something is gone.
func (d *dedup) corrects(by, old Row) string {
	if d.sentences[by.Memory.ID].Adds() {
		return ""
	}
	mayReword := !old.UserWritten || by.UserWritten
	if mayReword && by.group() == old.group() {
		if c := d.compare(by, old); c.Relation == statement.Update {
			return c.Reason
		}
	}
	if mayReword && old.Memory.IsConclusion() && old.Memory.Source != memory.SourceUser &&
		intersect(d.rejected[by.Memory.ID], d.plain[old.Memory.ID]) {
		return "the user rejected it"
	}
	if !intersect(d.subjects[by.Memory.ID], d.subjects[old.Memory.ID]) || !mayReword && !d.sentences[by.Memory.ID].RetiresValue() {
		return ""
	}
	if is, why := d.sentences[by.Memory.ID].Supersedes(d.sentences[old.Memory.ID]); is {
		return why
	}
	return ""
}

// mostNewer is how many newer facts a fact is compared with for each key of its title: more
// share one only where facts are made by a pattern, and their number must not be squared.
const mostNewer = 8

// contradict lets a fact supersede the older ones of its area whose titles cannot hold if its
// own does.
func (d *dedup) contradict(rows []Row) {
	facts := slices.DeleteFunc(d.current(rows), func(row Row) bool { return !row.Memory.IsFact() || row.SupersededBy != "" })
	standing := map[string][]Row{} // by the keys of their titles, the newest first
	titles := map[string]statement.Title{}
	for _, old := range slices.SortedFunc(slices.Values(facts), newer) {
		title, keys := statement.ParseTitle(old.Memory.Title), old.titleKeys()
		titles[old.Memory.ID] = title
		why := ""
		for _, key := range keys {
			at := slices.IndexFunc(standing[key], func(by Row) bool {
				why = titles[by.Memory.ID].Contradicts(title)
				return why != "" && !old.UserWritten && old.correctable(by)
			})
			if at >= 0 {
				by, s := standing[key][at], old.State()
				s.SupersededBy = by.Memory.ID
				d.change(KindSupersede, old.With(s), fmt.Sprintf("the newer %s has the title %q: %s", by.Memory.ID, by.Memory.Title, why))
				keys = nil
				break
			}
		}
		for _, key := range keys {
			if len(standing[key]) < mostNewer {
				standing[key] = append(standing[key], old)
			}
		}
	}
}

func intersect(a, b []string) bool {
	return slices.ContainsFunc(a, func(key string) bool { return slices.Contains(b, key) })
}

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

func suffixed(keys, values []string) []string {
	suffix := string(binary.BigEndian.AppendUint64(nil, sketch.Hash(strings.Join(values, "\x00"))))
	made := make([]string, len(keys))
	for i, key := range keys {
		made[i] = key + suffix
	}
	return made
}
