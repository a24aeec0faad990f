package distill

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

// index selects the standing memories for a question.
type index struct {
	rows    []memory.Row
	session string    // session of the question, whose own memories are not shown
	ends    time.Time // time at which the part of the session ends that the question is about
	clean   func(string) string
	count   func(string) int
}

// areaShare limits the names of areas to 1/areaShare of the reserved tokens. Areas are named even if there is no room
// for their facts.
const areaShare = 4

// about returns the memories that a text may relate to, and the areas in use, the newest first, within room tokens.
// First come the newest open todos; then facts and the user's kept statements that share words or cues with the text;
// then the other facts and kept statements, the newest first; then remarks in passing that share words.
func (x index) about(text string, room int) (lines []Line, areas []string) {
	all := x.candidates(wordsOf(text))
	room -= x.count(standingBegins) + x.count(standingEnds)
	forAreas := room / areaShare
	for _, c := range all {
		if c.Area == "" || slices.Contains(areas, c.Area) {
			continue
		}
		cost := x.count(heading(c.Area))
		if forAreas -= cost; forAreas < 0 {
			break
		}
		room, areas = room-cost, append(areas, c.Area)
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Or(a.order-b.order, b.shared-a.shared) })
	if passing := slices.IndexFunc(all, func(c candidate) bool { return c.order == 2 }); passing >= 0 {
		all = all[:min(len(all), passing+maxRemarks)]
	}
	ids := memory.Each(all, func(c candidate) string { return c.ID })
	shown := memory.ShortestIDs(ids, ids)
	for _, c := range all {
		line := Line{ID: c.ID, Area: c.Area, Text: x.lineOf(c.Memory, shown[c.ID]), Open: isOpen(c.Memory)}
		if !c.IsFact() {
			line.Own = c.Content
		}
		cost, isNew := x.count(line.Text), c.Area != "" && !slices.Contains(areas, c.Area)
		if isNew {
			cost += x.count(heading(c.Area))
		}
		if room -= cost; room < 0 {
			break
		}
		if isNew {
			areas = append(areas, c.Area)
		}
		lines = append(lines, line)
	}
	return lines, areas
}

// candidate is a standing memory with its rank.
type candidate struct {
	memory.Memory
	order  int // -1: open; 0: fitting fact or kept statement; 1: other fact or kept statement; 2: fitting remark in passing
	shared int // words shared with the text (in per cent for order 2); 0 for facts that do not fit
}

// The limits of candidates.
const (
	// A remark in passing is shown only if at least minShare per cent of its words also occur in the text. Many remarks
	// are small talk, so only maxRemarks are shown.
	minShare   = 25
	maxRemarks = 6
	// maxOpen is the maximum number of open memories that are shown first, whatever their words, because a session can
	// end them in any words.
	maxOpen = 20
)

// candidates returns the standing memories that may be shown, the newest first.
func (x index) candidates(words map[string]bool) []candidate {
	var all []candidate
	open := 0
	for _, row := range slices.SortedFunc(slices.Values(x.rows), func(a, b memory.Row) int {
		return cmp.Or(b.Memory.LastSeenAt.Compare(a.Memory.LastSeenAt), strings.Compare(a.Memory.ID, b.Memory.ID))
	}) {
		m, isKept := row.Memory, row.Memory.IsFact() || row.UserWritten
		if row.SupersededBy != "" || m.Status != memory.StatusActive || m.Session == x.session || !isStatement(m) {
			continue
		}
		shared, own, fits := fit(m, words)
		share := 100 * shared / max(1, own)
		if !isKept && (share < minShare || m.LastSeenAt.After(x.ends)) {
			continue
		}
		if m.Area = memory.OneLine(x.clean(m.Area)); !m.IsFact() {
			m.Area = ""
		}
		switch {
		case isOpen(m) && open < maxOpen:
			all = append(all, candidate{Memory: m, order: -1})
			open++
		case isKept && fits:
			all = append(all, candidate{Memory: m, shared: shared})
		case isKept:
			all = append(all, candidate{Memory: m, order: 1})
		default:
			all = append(all, candidate{Memory: m, order: 2, shared: share})
		}
	}
	return all
}

func isOpen(m memory.Memory) bool { return m.Kind == memory.KindTodo }

// longestStatement is the maximum number of characters of a statement that is shown. The user's own may be longer than a fact.
const longestStatement = 400

// isStatement reports whether a memory is a fact or a sentence of the user, which a session may confirm or correct.
func isStatement(m memory.Memory) bool {
	return m.IsFact() || utf8.RuneCountInString(m.Content) <= longestStatement && m.Kind.IsUserAuthored() && m.Source == memory.SourceUser
}

// minShared is the minimum number of words that a fitting memory shares with a part.
const minShared = 2

// fit returns the number of words that a memory and its cues share with words, and the number of all its words. fits
// is set if it shares enough words, or all words of one cue.
func fit(m memory.Memory, words map[string]bool) (shared, all int, fits bool) {
	own := wordsOf(m.Content)
	for _, cue := range m.Cues {
		has := true
		of := wordsOf(cue)
		for word := range of {
			own[word] = true
			has = has && words[word]
		}
		fits = fits || has && len(of) > 0
	}
	for word := range own {
		if words[word] {
			shared++
		}
	}
	return shared, len(own), fits || shared >= minShared
}

// minWord is the minimum length in bytes of a word that is compared.
const minWord = 4

func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for _, word := range language.Sentence.List(text) {
		if len(word) >= minWord {
			words[word] = true
		}
	}
	return words
}

// lineOf returns the line of a fact (by its title) or of a user's statement, with notes such as the day of its last
// sighting. It does not cut the text, because the value could be lost.
func (x index) lineOf(m memory.Memory, id string) string {
	marks, text := []string{}, memory.OneLine(x.clean(m.Title))
	if day := x.day(m.LastSeenAt); day != "" {
		marks = append(marks, day)
	}
	if !m.IsFact() {
		marks, text = append(marks, "the user's words"), memory.OneLine(x.clean(m.Content))
	}
	if isOpen(m) {
		marks = append(marks, "todo")
	}
	if m.IsFact() && strings.HasSuffix(text, "…") { // a title cut from the text
		text = memory.OneLine(x.clean(m.Content))
	}
	line := id
	if len(marks) > 0 {
		line += " (" + strings.Join(marks, ", ") + ")"
	}
	return line + " " + text + "\n"
}

// day returns the day of a time for a question, or "" if it is unknown. It adds a note to days after the part's end.
func (x index) day(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	layout := "2 Jan"
	if at.UTC().Year() != x.ends.UTC().Year() {
		layout = "2 Jan 2006"
	}
	if at.After(x.ends) {
		layout = "later: " + layout
	}
	return at.UTC().Format(layout)
}
