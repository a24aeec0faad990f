package start_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/start"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/tokens"
)

func day(n int) time.Time { return time.Date(2026, 1, n, 12, 0, 0, 0, time.UTC) }

func rule(content string, on int, importance float64) memory.Memory {
	return memory.Memory{
		ID: content, Kind: memory.KindConvention, Source: memory.SourceUser, Content: content, LastSeenAt: day(on), Importance: importance,
	}
}

// A start shows the user's newest words first, whatever their importance, and however often an older one was said.
func TestAStartListsTheUsersNewestWordsFirst(t *testing.T) {
	pinned := rule("pinned", 1, 0.5)
	pinned.Pinned = true
	asked := rule("asked", 2, 0.8)
	asked.Asked = true
	repeated := rule("repeated", 3, 0.6).SaidAgain("s1", "s2")
	rows := memory.StartContext{
		Statements: []memory.Memory{asked, rule("weak", 20, 0.1), rule("lately", 20, 0.6), rule("before", 19, 0.6), repeated, pinned},
		Summaries: []memory.Session{
			{ID: "a", LastEventAt: day(20), Summary: memory.Summary{Text: `2026-01-20 10:00 UTC: asked "why?"; edited a.go; ended with: It is fixed.`}},
			{ID: "n", LastEventAt: day(20), Summary: memory.Summary{Text: `2026-01-20 11:00 UTC: asked "always run make check".`}},
		},
	}
	c := tokens.New()
	got := packed(start.Sections(rows, 0, c), 800, c).Text
	want := `<surrealdb-memory>
` + memory.Preamble + `
## The user asked to keep this, or said it in passing. Newest first: where two disagree, the newest holds
- [lately convention, 20 Jan] lately
- [weak convention, 20 Jan] weak
- [before convention, 19 Jan] before
- [repeat convention, 3 Jan] repeated (said 2 times)
- [asked convention, 2 Jan] asked
- [pinned convention, 1 Jan] pinned
## Where the last session stopped (a record)
- “2026-01-20 10:00 UTC: asked "why?"; edited a.go; ended with: It is fixed.”
</surrealdb-memory>
`
	musttest.Same(t, want, got, "text (-want +got)")
}

// However many sessions there were, a start has the last one.
func TestAStartHasTheLastSession(t *testing.T) {
	var rows memory.StartContext
	for i := range 9 {
		text := day(i+1).Format("2006-01-02 15:04 UTC") + `: asked "why?"; ended with: It is fixed.`
		rows.Summaries = append(rows.Summaries, memory.Session{ID: text, LastEventAt: day(i + 1), Summary: memory.Summary{Text: text}})
	}
	c := tokens.New()
	text := packed(start.Sections(rows, 0, c), 4000, c)
	if len(text.IDs) != 1 {
		t.Errorf("%d sessions in %d tokens", len(text.IDs), text.Tokens)
	}
}

// Where not all of the user's words fit, those that he asked to keep have room first, and the rest is counted. Beside
// facts at most six sentences stand that nobody asked to keep, of sessions that no model has read.
func TestTheUsersWordsKeepTheirBound(t *testing.T) {
	var rows memory.StartContext
	for i := range 20 {
		rows.Statements = append(rows.Statements, rule(fmt.Sprintf("s%02d said", i), i+1, 0.4))
	}
	asked := rule("asked", 1, 0.4)
	asked.Asked = true
	rows.Statements = append(rows.Statements, asked)
	const words = 23 + 12 + 3*6 // the heading, the count, three lines
	text := packed(start.Sections(rows, words, wordCounter{}), 2000, wordCounter{}).Text
	if !strings.Contains(text, "s19 said\n- [s18 sa convention, 19 Jan] s18 said\n- [asked convention, 1 Jan] asked\n- 18 older ones are found by search_memories\n") {
		t.Errorf("the start is\n%s", text)
	}
	rows.Facts = []memory.Memory{{ID: "fact", Title: "a fact", Kind: memory.KindFix, Source: memory.SourceAssistant, Content: "a fact", Session: "s", LastSeenAt: day(2)}}
	rows = start.WithBestFacts(rows, nil)
	text = packed(start.Sections(rows, 0, wordCounter{}), 2000, wordCounter{}).Text
	if strings.Count(text, " said\n") != 6 || !strings.Contains(text, "s14 said") || !strings.Contains(text, "] asked") {
		t.Errorf("beside a fact the start is\n%s", text)
	}
	for i := range rows.Statements {
		rows.Statements[i].Session = fmt.Sprint("read ", i >= 18)
	}
	read := memory.Summary{Text: "a talk", Digest: memory.Digest{Source: memory.SourceAssistant}}
	rows.Summaries = []memory.Session{{ID: "read true", Summary: read, LastEventAt: day(20)}, {ID: "read false", LastEventAt: day(18)}}
	text = packed(start.Sections(rows, 0, wordCounter{}), 2000, wordCounter{}).Text
	if strings.Contains(text, "s19") || strings.Contains(text, "s18") || !strings.Contains(text, "s17 said") || !strings.Contains(text, "] asked") {
		t.Errorf("beside the facts of a session that a model has read, the start is\n%s", text)
	}
}

// A start has what was said in the last ten sessions, and what was asked for in any.
func TestAStartHasWhatWasSaidLately(t *testing.T) {
	var rows memory.StartContext
	for i := range 12 {
		m := rule(fmt.Sprintf("s%02d said", i), 1+i/3, 0.4) // three sessions a day
		m.Session, m.LastSeenAt = fmt.Sprint("session ", i), m.LastSeenAt.Add(time.Duration(i)*time.Minute)
		rows.Statements = append(rows.Statements, m)
	}
	asked := rule("asked", 1, 0.4)
	asked.Asked, asked.Session = true, "session 0"
	rows.Statements = append(rows.Statements, asked)
	rows.Summaries = []memory.Session{{ID: "session 12", LastEventAt: day(9), EndReason: memory.EndImported, Summary: memory.Summary{Text: "2026-01-09: edited a.go"}}}
	c := tokens.New()
	text := packed(start.Sections(rows, 0, c), 2000, c).Text
	if strings.Count(text, " said\n") != 9 || !strings.Contains(text, "s03 said") || !strings.Contains(text, "] asked") || strings.Contains(text, "a.go") {
		t.Errorf("the start is\n%s", text)
	}
}

// In an area the newest fact stands first, in full and by its title, whatever its worth, and a line in full that is more than a week
// older than the newest has its day.
func TestFactsOfAnAreaStandNewestFirst(t *testing.T) {
	var rows memory.StartContext
	for i, on := range []int{1, 20, 12, 21} {
		title := "fact " + string(rune('a'+i))
		rows.Facts = append(rows.Facts, memory.Memory{
			ID: title, Title: title, Area: "db", Kind: memory.KindNote, Source: memory.SourceAssistant, Content: title + " in full", Session: title,
			LastSeenAt: day(on), Importance: memory.FactImportance(3 - i%3),
		})
	}
	rows = start.WithBestFacts(rows, nil)
	text := packed(start.Sections(rows, 0, wordCounter{}), 2000, wordCounter{}).Text
	if lines := strings.Split(text, "\n- "); len(lines) != 5 || !strings.HasSuffix(lines[1], "“fact d in full”") || !strings.HasSuffix(lines[2], "“fact b in full”") ||
		!strings.Contains(lines[3], "“fact c in full” (12 Jan)") || !strings.Contains(lines[4], "“fact a in full” (1 Jan)") {
		t.Errorf("in full:\n%s", text)
	}
	for i := range rows.Facts {
		rows.Facts[i].Content = strings.Repeat("long ", 60)
	}
	sections := start.Sections(rows, 0, wordCounter{})
	sections[1].Index.Full = 0
	text = packed(sections, frame+70, wordCounter{}).Text
	if !strings.Contains(text, "- db: “fact d fact d | fact b fact b | fact c fact c | fact a fact a”") {
		t.Errorf("by title:\n%s", text)
	}
}
