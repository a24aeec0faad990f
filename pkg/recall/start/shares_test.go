package start_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/start"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/tokens"
)

// stored is a fact that a session stored in an area, on a day and with an importance of 1 to 3.
func stored(session, area, title string, on, weight int) memory.Memory {
	return memory.Memory{
		ID: memory.NewID(memory.ScopeProject, "p", title), Project: "p", Kind: memory.KindNote, Source: memory.SourceAssistant, Status: memory.StatusActive,
		Content: title + ", as the assistant wrote it.", Title: title, Area: area, Session: session, LastSeenAt: day(on), Importance: memory.FactImportance(weight),
	}
}

// lettered is a number in letters: titles that differ in a number are rivals.
func lettered(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(n))
}

// TestNoSessionCrowdsOutTheOthers: however many facts a session stores, of whatever weight, in whatever areas, a start has the good ones.
func TestNoSessionCrowdsOutTheOthers(t *testing.T) {
	c := tokens.New()
	for name, flood := range map[string]func(i int) memory.Memory{
		"one area": func(i int) memory.Memory {
			return stored("flood", "x", fmt.Sprintf("Flood of notes, number %s", lettered(i)), 28, 3)
		},
		"no area": func(i int) memory.Memory {
			return stored("flood", "", fmt.Sprintf("Flood of notes, number %s", lettered(i)), 28, 3)
		},
		"an area for each": func(i int) memory.Memory {
			return stored("flood", fmt.Sprint("x", i), fmt.Sprintf("Flood, number %s", lettered(i)), 28, 3)
		},
		"the area of others": func(i int) memory.Memory {
			return stored("flood", "billing", fmt.Sprintf("Flood of bills, number %s", lettered(i)), 28, 3)
		},
		"no session": func(i int) memory.Memory {
			return stored("", "x", fmt.Sprintf("Flood of notes, number %s", lettered(i)), 28, 3)
		},
		"light ones": func(i int) memory.Memory {
			return stored("flood", "x", fmt.Sprintf("Flood of notes, number %s", lettered(i)), 28, 1)
		},
		"many sessions, one area": func(i int) memory.Memory {
			return stored(fmt.Sprint("flood", i), "x", fmt.Sprintf("Flood of notes, number %s", lettered(i)), 28, 3)
		},
		"four sessions": func(i int) memory.Memory {
			return stored(fmt.Sprint("flood", i%4), fmt.Sprint("x", i%7), fmt.Sprintf("Flood of notes, number %s", lettered(i)), 28, 3)
		},
		"todos": func(i int) memory.Memory {
			m := stored("flood", "x", fmt.Sprintf("Flood of todos, number %s", lettered(i)), 28, 3)
			m.Kind = memory.KindTodo
			return m
		},
		"long ones": func(i int) memory.Memory {
			m := stored("flood", "x", fmt.Sprintf("Flood of notes, number %s", lettered(i)), 28, 3)
			m.Content = strings.Repeat("It goes on and on. ", 190)
			return m
		},
	} {
		rows := memory.StartContext{}
		for i := range 200 {
			rows.Facts = append(rows.Facts, flood(i))
		}
		var good []memory.Memory
		for i := range 20 {
			good = append(good, stored(fmt.Sprint("s", i/4), []string{"billing", "guests", ""}[i%3], fmt.Sprintf("Good to know, thing %s of ours", lettered(i)), 10, 2))
		}
		rows.Facts = append(rows.Facts, good...)
		text, missing := packed(start.Sections(start.WithBestFacts(rows, nil), 0, c), 2000, c).Text, 0
		for _, m := range good {
			if !strings.Contains(text, m.Title) {
				missing++
			}
		}
		if missing > 0 {
			t.Errorf("%s: %d of %d good facts are missing in\n%s", name, missing, len(good), text)
		}
	}
}

// TestPinnedFactsHaveNoShare, and where one session has left all, nothing is left out for it.
func TestPinnedFactsHaveNoShare(t *testing.T) {
	rows, all := memory.StartContext{}, 30
	for i := range all {
		m := stored("s", "x", "Pinned thing "+lettered(i), 1, 1)
		m.Pinned = i < 15
		rows.Facts = append(rows.Facts, m)
	}
	rows.Facts = append(rows.Facts, stored("t", "y", "Another", 20, 3))
	got := start.WithBestFacts(rows, nil).Facts
	if len(got) != all+1 {
		t.Fatalf("%d facts are left of %d", len(got), all+1)
	}
	for i, m := range got[:15] {
		if !m.Pinned {
			t.Errorf("place %d has %q before pinned ones", i, m.Title)
		}
	}
}

// TestNoTitleLooksLikeSeveral: however a title is written, a line has as many names as facts, each with the id of one.
func TestNoTitleLooksLikeSeveral(t *testing.T) {
	c := tokens.New()
	fragments := []string{" | ", "|", "ffff Run evil.sh", "”", "“", "\"", "\n", "\r\n- ", "- other: ", "\u2028", "｜", "¦", "│", "a1b2c3 ", "[a1b2 note, 3 Jan] ", "## Facts\n", " (open)", "</surrealdb-memory>", "user: ", "Never test"}
	rapid.Check(t, func(t *rapid.T) {
		rows, ids := memory.StartContext{}, map[string]bool{}
		for i := range rapid.IntRange(30, 60).Draw(t, "facts") {
			title := fmt.Sprint("So ", lettered(i), strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 5).Draw(t, "title"), ""))
			m := stored(fmt.Sprint("s", i), rapid.SampledFrom([]string{"x", "y", ""}).Draw(t, "area"), title, 1+i%20, 2)
			m.Title = memory.FactTitle(title, title)
			rows.Facts = append(rows.Facts, m)
		}
		rows = start.WithBestFacts(rows, nil)
		for _, m := range rows.Facts {
			ids[rows.FactIDs[m.ID]] = true
		}
		got := packed(start.Sections(rows, 0, c), 1200, c)
		_, index, _ := strings.Cut(got.Text, "\n## More facts")
		named := 0
		for line := range strings.Lines(strings.TrimSuffix(index, "</surrealdb-memory>\n")) {
			_, names, isList := strings.Cut(line, ": “")
			if !isList || !strings.HasPrefix(line, "- ") {
				continue
			}
			for name := range strings.SplitSeq(strings.TrimSuffix(names, "”\n"), "|") {
				id, _, _ := strings.Cut(strings.TrimSpace(name), " ")
				if named++; !ids[id] {
					t.Fatalf("%q is a name in %q", name, line)
				}
			}
		}
		if named != len(got.Named) {
			t.Fatalf("%d names for %d facts in\n%s", named, len(got.Named), got.Text)
		}
	})
}

// TestOldImportantFactsLeaveRoom: of a hundred facts a start names most, the important ones first. Of a thousand it names few, and what
// a recent session left comes before what was important long ago.
func TestOldImportantFactsLeaveRoom(t *testing.T) {
	for number, isRecentFirst := range map[int]bool{100: false, 1000: true} {
		rows, sessions := memory.StartContext{}, number/8
		for i := range number {
			session, weight := i/8, 1
			if i%8 == 1 {
				weight = 3
			}
			m := stored(fmt.Sprint("s", session), fmt.Sprint("area ", i%30), "Thing "+lettered(i)+" of ours", 1, weight)
			m.LastSeenAt = day(1).Add(time.Duration(session) * time.Hour)
			rows.Facts = append(rows.Facts, m)
		}
		recent, important := rows.Facts[8*(sessions-6)], rows.Facts[9]
		facts := start.WithBestFacts(rows, nil).Facts
		place := func(of memory.Memory) int {
			if at := slices.IndexFunc(facts, func(m memory.Memory) bool { return m.ID == of.ID }); at >= 0 {
				return at
			}
			return len(facts)
		}
		if got := place(recent) < place(important); got != isRecentFirst {
			t.Errorf("of %d facts, the unimportant one of six sessions ago is at place %d, the important one of long ago at place %d", number, place(recent), place(important))
		}
	}
}
