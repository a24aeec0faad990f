package distill_test

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/tokens"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func minute(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }

// story is a session of turns, each a prompt and the last words, that has ended.
func story(turns ...[2]string) memory.SessionRecord {
	record := memory.SessionRecord{Session: memory.Session{ID: "s1", Project: "p", State: memory.SessionCompleted, StartedAt: noon, LastEventAt: minute(10 * len(turns))}}
	for i, turn := range turns {
		record.Prompts = append(record.Prompts, memory.Prompt{ID: fmt.Sprint("p", i), Session: "s1", Project: "p", Text: turn[0], At: minute(10 * i)})
		record.SessionEvents = append(record.SessionEvents, memory.SessionEvent{ID: fmt.Sprint("e", i), Session: "s1", Kind: memory.EventTurnEnded, Text: turn[1], At: minute(10*i + 5)})
	}
	return record
}

func said(record *memory.SessionRecord, text string, at time.Time) memory.Memory {
	m := memory.Memory{
		ID: memory.NewID(memory.ScopeProject, "p", text), Project: "p", Scope: memory.ScopeProject, Kind: memory.KindConvention,
		Status: memory.StatusActive, Source: memory.SourceUser, Content: text, Session: "s1", LastSeenAt: at,
	}
	record.Seen = append(record.Seen, memory.Seen{ID: "seen-" + m.ID, Memory: m, At: at})
	return m
}

var export = [2]string{
	"why is the export empty for guests? we must never join on the account, guests have none",
	"The query joined on the account, which guests do not have. It joins on the session now, and the export has 40 rows.",
}

func partsOf(t testing.TB, in distill.Input) []distill.Part {
	t.Helper()
	if in.Counter == nil {
		in.Counter = tokens.New()
	}
	if in.Budget == 0 {
		in.Budget = 12_000
	}
	return in.Parts()
}

func TestASessionIsOnePartWithItsDialogue(t *testing.T) {
	record := story(export)
	rule := said(&record, "we must never join on the account, guests have none", minute(0))
	hidden := said(&record, "what a cut prompt does not show", minute(1))
	parts := partsOf(t, distill.Input{Record: record})
	if len(parts) != 1 || parts[0].Done {
		t.Fatalf("%d parts: %+v", len(parts), parts)
	}
	prompt := parts[0].Question(8).Prompt
	for _, want := range []string{"user: " + export[0], "assistant: " + export[1], "user: " + hidden.Content, "facts: at most 8."} {
		if strings.Count(prompt, want) != 1 {
			t.Errorf("%q stands %d times in the prompt:\n%s", want, strings.Count(prompt, want), prompt)
		}
	}
	if ids := parts[0].Sources[0].Memories; len(ids) != 1 || ids[0] != rule.ID {
		t.Errorf("the turn is of the memories %q", ids)
	}
}

// The reasons of a plan that the user accepted are in the record, once, also where the client puts the plan into a prompt: as the
// assistant's words, which make no rule. A plan that was refused is not.
func TestAnAcceptedPlanReachesTheModel(t *testing.T) {
	const plan = "# Export in parts\n\nWe must stream the rows, because the whole table does not fit into memory."
	asked := memory.Prompt{ID: "p9", Session: "s1", Project: "p", Text: "Implement the following plan:\n\n" + plan, At: minute(7)}
	accepted := memory.SessionEvent{ID: "e9", Session: "s1", Kind: memory.EventPlanAccepted, Text: plan, At: minute(6)}
	for name, add := range map[string]func(*memory.SessionRecord){
		"by an event": func(r *memory.SessionRecord) { r.SessionEvents = append(r.SessionEvents, accepted) },
		"by a prompt": func(r *memory.SessionRecord) { r.Prompts = append(r.Prompts, asked) },
		"by both": func(r *memory.SessionRecord) {
			r.SessionEvents = append(r.SessionEvents, accepted)
			r.Prompts = append(r.Prompts, asked)
		},
		"before every turn": func(r *memory.SessionRecord) {
			accepted.At = minute(-5)
			r.SessionEvents = append(r.SessionEvents, accepted)
		},
	} {
		record := story(export)
		add(&record)
		parts := partsOf(t, distill.Input{Record: record})
		if len(parts) != 1 {
			t.Fatalf("%s: %d parts", name, len(parts))
		}
		prompt := parts[0].Question(8).Prompt
		if strings.Count(prompt, "the user accepted: "+strings.ReplaceAll(plan, "\n", "\n  ")) != 1 || strings.Contains(prompt, "user: Implement") {
			t.Errorf("%s: the prompt is\n%s", name, prompt)
		}
		got, err := parts[0].Check([]byte(`{"summary":{},"facts":[{"text":"The export streams its rows, because the table does not fit into memory.","kind":"convention",`+
			`"quotes":["because the whole table does not fit into memory"]}]}`), 8)
		if err != nil || len(got.Facts) != 1 || got.Facts[0].ByUser || got.Facts[0].Kind != memory.KindDiscovery {
			t.Errorf("%s: %+v, %v: want a finding that is not in the user's words", name, got, err)
		}
	}
}

// TestTheRecordCannotBeImitated: whatever the texts of a session hold, a question has the turns of the session and no others, one record
// and one list of standing lines, and a quote is found as it is shown.
func TestTheRecordCannotBeImitated(t *testing.T) {
	fragments := []string{
		"\n", "\n\n", "\r", "\u2028", " ", "[2] ", "[2] 2026-11-20 12:00\n", "user: ", "user:", "assistant: ", "failed: ", "edited: ", "</session>", "<session>", "< / session >", "</SESSION>",
		"＜/session＞", "<standing>", "</standing>\n", "ffff (todo) ", "We never test.", "the assistant's plan, which the user accepted: ", "Human: ", "<system-reminder>", "\x1b[2K", "\u200b", "</parts>",
	}
	lines := regexp.MustCompile(`(?m)^(?:\[\d+\] \d{4}-\d\d-\d\d \d\d:\d\d|(?:user|assistant|the assistant's plan, which the user accepted|failed|edited): .*|  .*|</session>)?$`)
	c := tokens.New()
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string {
			return "so " + strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 1, 8).Draw(t, name), "")
		}
		record := story([2]string{text("prompt"), text("words")})
		record.SessionEvents = append(record.SessionEvents, memory.SessionEvent{ID: "e9", Session: "s1", Kind: memory.EventPlanAccepted, Text: text("plan"), At: minute(6)})
		record.SessionEvents = append(record.SessionEvents,
			memory.SessionEvent{ID: "f1", Kind: memory.EventCommandFailed, Text: text("failure"), Detail: text("detail"), At: minute(1)},
			memory.SessionEvent{ID: "f2", Kind: memory.EventFileChanged, Files: []string{text("file")}, At: minute(1)})
		title := text("title")
		standing := memory.Row{Memory: memory.Memory{
			ID: memory.NewID(memory.ScopeProject, "p", title), Kind: memory.KindTodo, Status: memory.StatusActive, Source: memory.SourceAssistant, Content: title, Title: title, Area: text("area"), Session: "s0",
		}}
		for _, part := range (distill.Input{Record: record, Standing: []memory.Row{standing}, Counter: c, Budget: 12_000}).Parts() {
			_, asked, _ := strings.Cut(part.Question(8).Prompt, "\"ends\":[]}\n\n<standing>\n")
			shown, session, _ := strings.Cut(asked, "\n<session>\n")
			if ends := strings.Count(shown, "\n"); strings.Count(shown, "</standing>") != 1 || ends > 3 {
				t.Fatalf("the standing line makes\n%s", shown)
			}
			if strings.Count(session, "</session>") != 1 || strings.Contains(session, "<session>") || strings.Count("\n"+session, "\n[") != len(part.Sources) {
				t.Fatalf("%d turns make\n%s", len(part.Sources), session)
			}
			for line := range strings.Lines(session) {
				if !lines.MatchString(strings.TrimSuffix(line, "\n")) {
					t.Fatalf("%q is a line of\n%s", line, session)
				}
			}
			for _, s := range part.Sources {
				if quote := memory.OneLine(s.Assistant); len(quote) > 20 && !strings.Contains(memory.OneLine(session), quote) {
					t.Fatalf("%q is not shown in\n%s", quote, session)
				}
			}
		}
	})
}

// A plan of any length fits into its part.
func TestALongPlanIsCut(t *testing.T) {
	record := story(export)
	record.SessionEvents = append(record.SessionEvents, memory.SessionEvent{ID: "e9", Session: "s1", Kind: memory.EventPlanAccepted, Text: strings.Repeat("Rows are streamed. ", 5_000), At: minute(6)})
	c := tokens.New()
	for _, part := range partsOf(t, distill.Input{Record: record, Budget: 6_000, Counter: c}) {
		if n := c.Count(part.Question(8).Prompt); n > 6_000 {
			t.Errorf("a question has %d tokens", n)
		}
	}
}

// Each rule that a user states in passing reaches the model, also in a session with no other statement and without results.
func TestARuleStatedInPassingReachesTheModel(t *testing.T) {
	rules := []string{
		"btw the tests need redis running on 6380", "error messages go to the user in German",
		"the auth service is owned by team Kraken, ask them before changing its API", "our staging cluster is called otter",
		"invoices are rounded half up, legal insists on it", "fyi Mira is on leave until March",
		"the old importer is only kept for Denmark", "we ship on Thursdays", "prod has no shell access", "the CSV has a semicolon as separator",
	}
	var turns [][2]string
	for _, rule := range rules {
		turns = append(turns, [2]string{rule, "Understood."})
	}
	parts := partsOf(t, distill.Input{Record: story(turns...)})
	if len(parts) != 1 {
		t.Fatalf("%d parts", len(parts))
	}
	prompt := parts[0].Question(8).Prompt
	for _, rule := range rules {
		if strings.Count(prompt, rule) != 1 {
			t.Errorf("%q stands %d times in the prompt", rule, strings.Count(prompt, rule))
		}
	}
	alone := partsOf(t, distill.Input{Record: story([2]string{rules[0], ""})})
	if len(alone) != 1 || !strings.Contains(alone[0].Question(8).Prompt, rules[0]) {
		t.Errorf("a prompt without an answer makes %+v", alone)
	}
	long := [2]string{strings.Repeat("a log of the build ", 160), "The build failed for want of space; the cache was emptied and the build passes now."}
	parts = partsOf(t, distill.Input{Record: story(append([][2]string{long}, turns...)...)})
	if prompt = parts[0].Question(8).Prompt; !strings.Contains(prompt, rules[9]) {
		t.Errorf("a long prompt hides the ones after it:\n%.3000s", prompt)
	}
}

func titled(row memory.Row) memory.Row {
	row.Memory.Title = memory.TitleOf(row.Memory.Content)
	return row
}

func users(row memory.Row) memory.Row {
	row.Memory.Source = memory.SourceUser
	return row
}

// Of the standing memories only single sentences are shown: these can be confirmed or corrected, while a
// report of a page costs more tokens than the session.
func TestOnlyFactsAreShown(t *testing.T) {
	standing := func(kind memory.Kind, content string, tags ...string) memory.Row {
		return memory.Row{Memory: memory.Memory{
			ID: memory.NewID(memory.ScopeProject, "p", content), Kind: kind, Status: memory.StatusActive, Source: memory.SourceAssistant,
			Content: content, Tags: tags, Session: "s0",
		}}
	}
	const about = " of the export query that joined on the account of guests"
	rows := []memory.Row{
		users(standing(memory.KindConvention, "a rule"+about)),
		titled(standing(memory.KindDiscovery, "a fact"+about)),
		standing(memory.KindDiscovery, "a subagent's report"+about), standing(memory.KindTurn, "a turn"+about),
		standing(memory.KindNote, strings.Repeat("a long note"+about+"; ", 10)),
	}
	shown := partsOf(t, distill.Input{Record: story(export), Standing: rows})[0].Standing
	if len(shown) != 2 || slices.ContainsFunc(shown, func(l distill.Line) bool { return l.ID != rows[0].Memory.ID && l.ID != rows[1].Memory.ID }) {
		t.Errorf("shown are %+v", shown)
	}
}

// All facts stand before the model by their titles: first those that fit the part by their words or a cue, with memories that the
// user asked to keep, then the others, the newest area first, as many as a fifth of the call holds. Guesses that fit come last.
func TestAQuestionShowsAllFactsByTheirTitles(t *testing.T) {
	n := 0
	standing := func(content string, change func(*memory.Row)) memory.Row {
		n++
		row := memory.Row{Memory: memory.Memory{
			ID: memory.NewID(memory.ScopeProject, "p", content), Kind: memory.KindConvention, Status: memory.StatusActive,
			Source: memory.SourceUser, Content: content, Session: "s0", LastSeenAt: minute(-n),
		}}
		change(&row)
		return row
	}
	fact := func(area, title string, cues ...string) func(*memory.Row) {
		return func(r *memory.Row) {
			r.Memory.Kind, r.Memory.Source, r.Memory.Cues = memory.KindFix, memory.SourceAssistant, cues
			r.Memory.Title, r.Memory.Area = title, area
		}
	}
	rows := []memory.Row{
		standing("the export query joined on the account, guests have none", func(*memory.Row) {}),
		standing("nobody may touch the ledger by hand", fact("ledger", "Nobody edits the ledger", "why is the export empty", "ledger")),
		standing("invoices are numbered by the bank", fact("", "Invoices are numbered by the bank", "number of an invoice", "join")),
		standing("guests may not export", func(r *memory.Row) { r.UserWritten = true }),
		standing("the harbour opens at noon", fact("harbour", "The harbour opens at noon")),
		standing("the balance is checked at night", fact("ledger", "The balance is checked at night")),
		standing("the export of guests joins the account", func(r *memory.Row) { fact("export", "superseded")(r); r.SupersededBy = "another" }),
		standing("the export of guests joins the session, archived", func(r *memory.Row) { r.Memory.Status = memory.StatusArchived }),
		standing("written on the session's own words of the export query", func(r *memory.Row) { fact("export", "its own")(r); r.Memory.Session = "s1" }),
		standing("nothing of it fits", func(*memory.Row) {}),
	}
	part := partsOf(t, distill.Input{Record: story(export), Standing: rows})[0]
	var got []string
	for _, line := range part.Standing {
		got = append(got, line.ID)
	}
	var want []string
	for _, i := range []int{1, 2, 3, 4, 5, 0} { // 2 and 3 share no more words than each other
		want = append(want, rows[i].Memory.ID)
	}
	slices.Sort(got[:min(3, len(got))])
	slices.Sort(want[:3])
	if !slices.Equal(got, want) {
		t.Errorf("shown are %+v", part.Standing)
	}
	shown := func(i int) string { return rows[i].Memory.ID[:4] }
	_, rest, _ := strings.Cut(part.Question(8).Prompt, "\n<standing>\n")
	block, _, _ := strings.Cut(rest, "</standing>")
	lines := strings.SplitAfter(block, "\n")
	slices.Sort(lines[:min(3, len(lines))])
	wanted := []string{
		shown(0) + " (20 Nov, the user's words) the export query joined on the account, guests have none\n",
		shown(3) + " (20 Nov, the user's words) guests may not export\n",
		shown(2) + " (20 Nov) Invoices are numbered by the bank\n",
	}
	slices.Sort(wanted)
	wanted = append(wanted, "ledger:\n", shown(1)+" (20 Nov) Nobody edits the ledger\n", shown(5)+" (20 Nov) The balance is checked at night\n", "harbour:\n", shown(4)+" (20 Nov) The harbour opens at noon\n", "")
	musttest.Same(t, wanted, lines, "-want +got")
}

// Of more facts than a fifth of the call holds, the areas of the others are named at
// least, their ids are unique, and the part has the same key as without any.
func TestTheShownFactsFitAFifthOfTheCall(t *testing.T) {
	const budget = 12_000
	count, rows := tokens.New(), []memory.Row{}
	for i := range 4_000 {
		content := fmt.Sprintf("the rule %d of the area %d has no word of the session", i, i/100)
		rows = append(rows, memory.Row{Memory: memory.Memory{
			ID: memory.NewID(memory.ScopeProject, "p", content), Kind: memory.KindDiscovery, Status: memory.StatusActive, Source: memory.SourceAssistant,
			Content: content, Title: fmt.Sprintf("Rule %d holds in area %d", i, i/100), Area: fmt.Sprintf("area %d", i/100), Session: "s0", LastSeenAt: minute(i),
		}})
	}
	in := distill.Input{Record: story(export), Budget: budget, Counter: count}
	without := in.Parts()[0]
	in.Standing = rows
	part := in.Parts()[0]
	tokens := count.Count(part.Question(8).Prompt) - count.Count(without.Question(8).Prompt)
	if len(part.Standing) < 90 || tokens > budget/5 || len(part.Areas) != 40 || part.Areas[0] != "area 39" || part.Key != without.Key {
		t.Errorf("%d facts of the areas %q with %d tokens, the key is %s and was %s", len(part.Standing), part.Areas, tokens, part.Key, without.Key)
	}
	ids := map[string]bool{}
	for _, line := range part.Standing {
		id, _, _ := strings.Cut(line.Text, " ")
		ids[id] = true
	}
	if len(ids) != len(part.Standing) {
		t.Errorf("%d lines have %d ids", len(part.Standing), len(ids))
	}
}

const good = `{"summary":{"request":"Guests get an empty export","investigated":"the export query","learned":"guests have no account","completed":"the query joins on the session","next_steps":""},
"facts":[
 {"text":"Queries of the export must not join on the account, because guests have none.","kind":"convention","title":"Exports never join on the account","area":"Export","quotes":["we must never join on the account,\n guests have none"],"cues":["join on the account","sql/export.sql"],"importance":3,"everywhere":true,"about":"","relation":""},
 {"text":"The export of guests has 40 rows since it joins on the session.","kind":"decision","quotes":["the export has 40 rows"],"about":"","relation":""}%s]}`

func TestAnAnswerIsKeptWithTheWordsItRestsOn(t *testing.T) {
	record := story(export)
	part := partsOf(t, distill.Input{Record: record})[0]
	got := musttest.Get(part.Check(fmt.Appendf(nil, good, ""), 8))(t)
	want := distill.Checked{
		Digest: memory.Digest{
			Request: "Guests get an empty export", Investigated: "the export query", Learned: "guests have no account",
			Completed: "the query joins on the session", Source: memory.SourceAssistant,
		},
		Facts: []memory.DistilledFact{
			{
				Text: "Queries of the export must not join on the account, because guests have none.", Kind: memory.KindConvention, Called: memory.KindConvention,
				Quotes: []string{"we must never join on the account, guests have none"}, From: part.Sources[0].Memories, At: noon, ByUser: true, OwnWords: true, Weight: 3,
				Title: "Exports never join on the account", Area: "export", Cues: []string{"join on the account", "sql/export.sql"}, Everywhere: true,
			},
			{ // only the assistant stated it, whose words are no decisions
				Text: "The export of guests has 40 rows since it joins on the session.", Kind: memory.KindDiscovery, Called: memory.KindDecision,
				Quotes: []string{"the export has 40 rows"}, From: part.Sources[0].Memories, At: noon, Weight: 2,
				Title: "The export of guests has 40 rows since it joins on the…", // the model gave none
			},
		},
	}
	musttest.Same(t, want, got, "-want +got")
}

func TestAnInvalidFactIsDroppedWithItsReason(t *testing.T) {
	record := story(export)
	standing := memory.Memory{
		ID: memory.NewID(memory.ScopeProject, "p", "x"), Project: "p", Kind: memory.KindNote, Status: memory.StatusActive,
		Source: memory.SourceAssistant, Content: "the export query joins on the account of the guests", Title: "The export query joins on the account", Session: "s0",
	}
	part := partsOf(t, distill.Input{Record: record, Standing: []memory.Row{{Memory: standing}}})[0]
	if len(part.Standing) != 1 {
		t.Fatalf("shown are %+v", part.Standing)
	}
	fact := func(text, kind, quote, about, relation string) string {
		return fmt.Sprintf(`{"text":%q,"kind":%q,"quotes":[%q],"about":%q,"relation":%q}`, text, kind, quote, about, relation)
	}
	long := strings.Repeat("long ", 100)
	facts := []string{
		fact("Nobody said these words at all.", "note", "we always join on the moon", "", ""),
		fact("A quotation that is too short.", "note", "guests", "", ""),
		fact("short", "note", "why is the export empty", "", ""),
		fact("The export query joins on the session.", "note", "It joins on the session now", memory.ShortID(standing.ID), "supersedes"),
		fact("The export query joins on the session.", "note", "It joins on the session now", "", ""),
		fact("This one is beyond what was asked for.", "note", "why is the export empty", "", ""),
	}
	text := `{"summary":{"request":"` + long + `","investigated":"","learned":"","completed":"","next_steps":""},"facts":[` + strings.Join(facts, ",") + `]}`
	got := musttest.Get(part.Check([]byte(text), 1))(t)
	if len(got.Facts) != 1 || got.Facts[0].About != standing.ID || got.Facts[0].Relation != memory.RelationSupersedes {
		t.Errorf("kept are %+v", got.Facts)
	}
	if len(got.Digest.Request) > 303 {
		t.Errorf("the request has %d bytes", len(got.Digest.Request))
	}
	for i, want := range []string{"the end of request", "quotes no words", "quotes no words", "has no text", "most", "most"} {
		if i >= len(got.Dropped) || !strings.Contains(got.Dropped[i], want) {
			t.Errorf("dropped %d should be about %q: %q", i, want, got.Dropped)
		}
	}
}

// A field that is wrong is left out, and the fact is kept without it.
func TestAWrongFieldCostsNoFact(t *testing.T) {
	standing := memory.Memory{
		ID: memory.NewID(memory.ScopeProject, "p", "x"), Kind: memory.KindNote, Status: memory.StatusActive,
		Source: memory.SourceAssistant, Title: "Export joins on the account", Content: "Export joins on the account.", Session: "s0",
	}
	part := partsOf(t, distill.Input{Record: story(export), Standing: []memory.Row{{Memory: standing}}})[0]
	id := part.Standing[0].ID
	sentence := "Guests have no account, so no query of the export may ever join on one. "
	for name, test := range map[string]struct {
		fields, note string
		text         string
	}{
		"a line that was not shown": {`"about":"ffff","relation":"supersedes"`, "was not shown", ""},
		"no line":                   {`"about":"","relation":"corrects"`, "was not shown", ""},
		"an unknown relation":       {`"about":"` + id + `","relation":"likes"`, "likes", ""},
		"a number for a line":       {`"about":7,"relation":"supersedes"`, "facts.about", ""},
		"an unknown kind":           {`"kind":"law"`, `"law" is not a kind`, ""},
		"words for a number":        {`"importance":"high"`, "facts.importance", ""},
		"a word for a list":         {`"cues":"export"`, "facts.cues", ""},
		"words for yes":             {`"everywhere":"often"`, "facts.everywhere", ""},
		"an unknown field":          {`"mood":"glad"`, "", ""},
		"a text of 241 characters":  {`"text":"` + sentence + strings.Repeat("x", 241-len(sentence)) + `"`, "", sentence + strings.Repeat("x", 241-len(sentence))},
		"long sentences":            {`"text":"` + strings.Repeat(sentence, 9) + `"`, "the most is 360", strings.TrimSpace(strings.Repeat(sentence, 4))},
		"one endless sentence":      {`"text":"` + strings.Repeat("export ", 90) + `"`, "the most is 360", strings.Repeat("export ", 50) + "export…"},
	} {
		text := `{"summary":{"request":"x"},"facts":[{"text":"Guests have no account to join on.","kind":"fix","quotes":["guests have none"],` + test.fields + `},
			{"text":"The export has forty rows by now.","quotes":["the export has 40 rows"],"kind":"note"}]}`
		got, err := part.Check([]byte(text), 8)
		if err != nil || len(got.Facts) != 2 || (len(got.Dropped) > 0) != (test.note != "") || !strings.Contains(strings.Join(got.Dropped, "\n"), test.note) {
			t.Errorf("%s: %v, %+v", name, err, got)
			continue
		}
		if f := got.Facts[0]; f.About != "" || f.Relation != "" || test.text != "" && f.Text != test.text {
			t.Errorf("%s: kept is %+v", name, f)
		}
	}
}

// Of two answers to what is over only those count that name an open line that was shown, and quote the record.
func TestAnOpenLineEndsWithoutAFact(t *testing.T) {
	row := func(kind memory.Kind, title string) memory.Row {
		return memory.Row{Memory: memory.Memory{
			ID: memory.NewID(memory.ScopeProject, "p", title), Kind: kind, Status: memory.StatusActive, Source: memory.SourceAssistant,
			Content: title + ".", Title: title, Session: "s0", LastSeenAt: minute(-9),
		}}
	}
	rows := []memory.Row{row(memory.KindTodo, "Find out why the export is empty"), row(memory.KindConvention, "Exports are signed"), row(memory.KindTodo, "Paint the boat")}
	part := partsOf(t, distill.Input{Record: story(export), Standing: rows})[0]
	got, err := part.Check(fmt.Appendf(nil, `{"summary":{"request":"x"},"facts":[],"ended":[{"line":%q,"quote":"the export has 40 rows"},
		{"line":%q,"quote":"the export has 40 rows"},{"line":%q,"quote":"the boat is painted now"},{"line":"ffff","quote":"the export has 40 rows"}]}`,
		rows[0].Memory.ID, rows[1].Memory.ID, rows[2].Memory.ID), 8)
	want := []distill.Ended{{Memory: rows[0].Memory.ID, Quote: "the export has 40 rows", At: noon}}
	if diff := cmp.Diff(want, got.Ended); err != nil || diff != "" || len(got.Dropped) != 3 {
		t.Errorf("%v, %q (-want +got):\n%s", err, got.Dropped, diff)
	}
}

// A standing line keeps the values of a statement, however long it is.
func TestAStandingLineKeepsItsValues(t *testing.T) {
	const long = "The export of guests may never be run by more than twelve workers at once, because the session table of the old cluster has no more than thr33 replicas"
	kept := memory.Memory{
		ID: memory.NewID(memory.ScopeProject, "p", long), Kind: memory.KindConvention, Status: memory.StatusActive, Source: memory.SourceUser,
		Content: long, Session: "s0", LastSeenAt: noon.AddDate(-1, 0, 0),
	}
	fact := kept
	fact.ID, fact.Source, fact.Content, fact.Title = "f"+kept.ID[1:], memory.SourceAssistant, long+".", memory.TitleOf("It is so that "+long)
	rows := []memory.Row{{Memory: kept, UserWritten: true}, {Memory: fact}}
	prompt := partsOf(t, distill.Input{Record: story(export), Standing: rows})[0].Question(8).Prompt
	for _, want := range []string{" (20 Nov 2025, the user's words) " + long + "\n", " (20 Nov 2025) " + long + ".\n"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("%q is not in\n%s", want, prompt)
		}
	}
}

// A fact ends any of the lines that were shown, but for the one that it is about; ids that
// were not shown count for nothing, and cost no fact.
func TestAFactEndsSeveralStandingLines(t *testing.T) {
	var rows []memory.Row
	for _, content := range []string{"the export is empty for guests", "the harbour opens at noon", "three export tests fail on main"} {
		rows = append(rows, memory.Row{Memory: memory.Memory{
			ID: memory.NewID(memory.ScopeProject, "p", content), Kind: memory.KindNote, Status: memory.StatusActive,
			Source: memory.SourceAssistant, Content: content, Title: content, Session: "s0",
		}})
	}
	part := partsOf(t, distill.Input{Record: story(export), Standing: rows})[0]
	shown := func(i int) string { return rows[i].Memory.ID[:6] }
	got, err := part.Check(fmt.Appendf(nil, `{"summary":{},"facts":[{"text":"Guests have no account to join on.","kind":"fix","quotes":["guests have none"],
		"about":%q,"relation":"supersedes","ends":[%q,%q,%q,"ffffffff",""]}]}`, shown(0), shown(0), shown(1), rows[2].Memory.ID), 8)
	if err != nil || len(got.Facts) != 1 || len(got.Dropped) != 0 {
		t.Fatalf("%v, %+v", err, got)
	}
	ends := slices.Sorted(slices.Values(got.Facts[0].Ends))
	want := slices.Sorted(slices.Values([]string{rows[1].Memory.ID, rows[2].Memory.ID}))
	if got.Facts[0].About != rows[0].Memory.ID || !slices.Equal(ends, want) {
		t.Errorf("it is about %s and ends %s, not %s", got.Facts[0].About, ends, want)
	}
}

// A fact ends what the user said only where it shares a word with it: a sentence about anything must not end all.
func TestAFactEndsWordsOfTheUserThatItShares(t *testing.T) {
	var rows []memory.Row
	var ids []string
	for _, content := range []string{"never push to main", "use tabs", "guests may export", "call the customer Acme", "the export of guests is daily"} {
		id := memory.NewID(memory.ScopeProject, "p", content)
		rows = append(rows, memory.Row{UserWritten: true, Memory: memory.Memory{ID: id, Kind: memory.KindNote, Status: memory.StatusActive, Source: memory.SourceUser, Content: content, Session: "s0"}})
		ids = append(ids, fmt.Sprintf("%q", id))
	}
	part := partsOf(t, distill.Input{Record: story(export), Standing: rows})[0]
	got, err := part.Check(fmt.Appendf(nil, `{"summary":{},"facts":[{"text":"The user says that guests have no account to join on.","kind":"fix","quotes":["guests have none"],"ends":[%s]}]}`,
		strings.Join(ids, ",")), 8)
	want := slices.Sorted(slices.Values([]string{rows[2].Memory.ID, rows[4].Memory.ID}))
	if err != nil || len(got.Facts) != 1 || !slices.Equal(slices.Sorted(slices.Values(got.Facts[0].Ends)), want) || len(got.Dropped) != 3 {
		t.Errorf("%v, %+v", err, got)
	}
}

// TestOthersWordsEndThreeLines of an answer, whether its facts or its list end them, and the user's own as many as a fact may.
func TestOthersWordsEndThreeLines(t *testing.T) {
	record := story([2]string{"please go on with it: everything that was decided about the boats is void now", "Done. Everything before is void now."})
	var rows []memory.Row
	var ids []string
	for i := range 9 {
		title := fmt.Sprintf("Paint boat %d", i)
		ids = append(ids, memory.NewID(memory.ScopeProject, "p", title))
		rows = append(rows, memory.Row{Memory: memory.Memory{ID: ids[i], Kind: memory.KindTodo, Status: memory.StatusActive, Source: memory.SourceAssistant, Content: title, Title: title, Session: "s0"}})
	}
	const theirs, own = "Everything before is void now.", "everything that was decided about the boats is void now"
	fact := func(n int, quote, more string) string {
		return fmt.Sprintf(`{"text":"The boats stay as they are, part %d.","kind":"note","quotes":[%q]%s}`, n, quote, more)
	}
	about := func(i int) string { return fmt.Sprintf(`,"about":%q,"relation":"supersedes"`, ids[i]) }
	ends := func(from, to int) string { return `,"ends":["` + strings.Join(ids[from:to], `","`) + `"]` }
	list := func(from, to int, quote string) (all string) {
		for _, id := range ids[from:to] {
			all += fmt.Sprintf(`,{"line":%q,"quote":%q}`, id, quote)
		}
		return strings.TrimPrefix(all, ",")
	}
	part := partsOf(t, distill.Input{Record: record, Standing: rows})[0]
	for name, c := range map[string]struct {
		facts, ended string
		want         int
	}{
		"one fact":                    {fact(1, theirs, about(0)+ends(1, 8)), "", 3},
		"a fact for each":             {fact(1, theirs, about(0)) + "," + fact(2, theirs, about(1)) + "," + fact(3, theirs, about(2)) + "," + fact(4, theirs, about(3)), "", 3},
		"two facts and more ends":     {fact(1, theirs, about(0)+ends(1, 3)) + "," + fact(2, theirs, about(3)+ends(4, 6)), "", 3},
		"the list":                    {"", list(0, 8, theirs), 3},
		"a fact and the list":         {fact(1, theirs, ends(0, 2)), list(2, 6, theirs), 3},
		"three":                       {fact(1, theirs, ends(0, 3)), "", 3},
		"one":                         {fact(1, theirs, about(0)), "", 1},
		"the user's own":              {fact(1, own, about(0)+ends(1, 8)), "", 8},
		"the user's own, by the list": {"", list(0, 8, own), 8},
		"more than one can finish":    {fact(1, own, ends(0, 9)), "", 0}, // a text of the record may have asked for it
		"a quote of each":             {fact(1, theirs+`","`+own, about(0)+ends(1, 8)), "", 3},
		"both":                        {fact(1, own, ends(0, 4)), list(4, 8, theirs), 7},
	} {
		got, err := part.Check([]byte(strings.ReplaceAll(`{"summary":{"request":"x"},"facts":[`+c.facts+`],"ended":[`+c.ended+`]}`, `\"`, `"`)), 8)
		n := len(got.Ended)
		for _, f := range got.Facts {
			if n += len(f.Ends); f.About != "" {
				n++
			}
		}
		if err != nil || n != c.want {
			t.Errorf("%s: %d lines end, want %d: %v, %q", name, n, c.want, err, got.Dropped)
		}
	}
}

// The newest open facts come before those that fit, whatever their words, and are marked.
func TestAQuestionShowsOpenFactsFirst(t *testing.T) {
	var rows []memory.Row
	add := func(n int, kind memory.Kind, title string) {
		rows = append(rows, memory.Row{Memory: memory.Memory{
			ID: memory.NewID(memory.ScopeProject, "p", title), Kind: kind, Status: memory.StatusActive, Source: memory.SourceAssistant,
			Content: title + ".", Title: title, Area: "work", Session: "s0", LastSeenAt: minute(n),
		}})
	}
	add(0, memory.KindFix, "The export query joins on the session of guests")
	add(1, memory.KindDiscovery, "Harbour tests still fail")
	for i := range 21 {
		add(2+i, memory.KindTodo, fmt.Sprintf("Paint boat %d", i))
	}
	part := partsOf(t, distill.Input{Record: story(export), Standing: rows})[0]
	var got []string
	for _, line := range part.Standing {
		_, text, _ := strings.Cut(line.Text, " ")
		got = append(got, strings.TrimSpace(text))
	}
	var want []string
	for i := 20; i > 0; i-- {
		want = append(want, fmt.Sprintf("(later: 20 Nov, todo) Paint boat %d", i))
	}
	want = append(want, "(20 Nov) "+rows[0].Memory.Title, "(later: 20 Nov, todo) Paint boat 0", "(later: 20 Nov) Harbour tests still fail")
	musttest.Same(t, want, got, "-want +got")
}

// A fact is kept without cues, and whatever a model writes as cues and importance: unusable ones are left out.
func TestCuesAndImportanceAreBounded(t *testing.T) {
	part := partsOf(t, distill.Input{Record: story(export)})[0]
	check := func(more string) memory.DistilledFact {
		t.Helper()
		got, err := part.Check([]byte(`{"summary":{"request":"x"},"facts":[{"text":"Guests have no account to join on.","kind":"fix","quotes":["guests have none"]`+more+`}]}`), 8)
		if err != nil || len(got.Facts) != 1 || len(got.Dropped) != 0 {
			t.Fatalf("%s: %v, %+v", more, err, got)
		}
		return got.Facts[0]
	}
	for more, want := range map[string]memory.DistilledFact{
		``: {Weight: 2},
		`,"cues":["guest  export\n","guest export",""],"importance":9`:   {Weight: 3, Cues: []string{"guest export"}},
		`,"cues":["1","2","3","4","5","6"],"importance":-1`:              {Weight: 1, Cues: []string{"1", "2", "3", "4", "5"}},
		`,"cues":["` + strings.Repeat("é", 80) + `"],"everywhere":true`:  {Weight: 2, Cues: []string{strings.Repeat("é", 80)}, Everywhere: true},
		`,"cues":["` + strings.Repeat("é", 81) + `"],"everywhere":false`: {Weight: 2},
	} {
		got := check(more)
		if got.Weight != want.Weight || !slices.Equal(got.Cues, want.Cues) || got.Everywhere != want.Everywhere || got.Kind != memory.KindFix {
			t.Errorf("%s: kept is %+v", more, got)
		}
	}
}

func TestAnInvalidAnswerIsRefused(t *testing.T) {
	part := partsOf(t, distill.Input{Record: story(export)})[0]
	for name, text := range map[string]string{
		"nothing":        "",
		"a refusal":      "I cannot help with that.",
		"cut":            good[:100],
		"another schema": `{"answer":42}`,
		"two":            fmt.Sprintf(good, "") + fmt.Sprintf(good, ""),
		"no text":        "\xff\xfe",
		"endless":        strings.Repeat("x", 1<<20),
		"only invented":  `{"summary":{"request":"","investigated":"","learned":"","completed":"","next_steps":""},"facts":[{"text":"We always join on the moon.","kind":"note","quotes":["nobody said that"],"about":"","relation":""}]}`,
	} {
		if _, err := part.Check([]byte(text), 8); !errors.Is(err, distill.ErrAnswer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := part.Check([]byte("```json\n"+fmt.Sprintf(good, "")+"\n```"), 8); err != nil || len(got.Facts) != 2 {
		t.Errorf("in a fence: %v, %+v", err, got)
	}
}

// The client's summary of a compaction describes the work, and not the facts worth keeping: the part before
// it is asked about like any other.
func TestAPartThatWasCompactedIsAskedFor(t *testing.T) {
	record := story(export, [2]string{"add a test for guests please, with real rows", "I added a test with three guests, and it passes now."})
	record.SessionEvents = append(record.SessionEvents,
		memory.SessionEvent{ID: "c0", Session: "s1", Kind: memory.EventCompacting, Text: "before", At: minute(7)},
		memory.SessionEvent{ID: "c1", Session: "s1", Kind: memory.EventCompacted, Text: "The client's summary.", At: minute(8)})
	slices.SortFunc(record.SessionEvents, func(a, b memory.SessionEvent) int { return a.At.Compare(b.At) })
	parts := partsOf(t, distill.Input{Record: record})
	if len(parts) != 2 || parts[0].Done || parts[1].Done {
		t.Fatalf("%+v", parts)
	}
	if prompt := parts[0].Question(8).Prompt; !strings.Contains(prompt, "why is the export empty") || strings.Contains(prompt, "three guests") || strings.Contains(prompt, "client's summary") {
		t.Error(prompt)
	}
	if prompt := parts[1].Question(8).Prompt; strings.Contains(prompt, "why is the export empty") || !strings.Contains(prompt, "three guests") {
		t.Error(prompt)
	}
	record.Session.State = memory.SessionActive
	if parts := partsOf(t, distill.Input{Record: record}); len(parts) != 1 || parts[0].Done || strings.Contains(parts[0].Question(8).Prompt, "three guests") {
		t.Errorf("of a session that goes on: %+v", parts)
	}
}

func TestAnAnsweredPartIsNotAskedForAgain(t *testing.T) {
	record := story(export)
	in := distill.Input{Record: record, Counter: tokens.New(), Budget: 12_000}
	part := in.Parts()[0]
	checked := musttest.Get(part.Check(fmt.Appendf(nil, good, ""), 8))(t)
	text := memory.DistilledText(memory.Distilled{Part: part.Key, Digest: checked.Digest, Facts: checked.Facts})
	in.Record.SessionEvents = append(in.Record.SessionEvents, memory.SessionEvent{Kind: memory.EventDistilled, Text: text, At: minute(9)})
	again := in.Parts()
	if len(again) != 1 || !again[0].Done || in.Facts() != 6 {
		t.Errorf("%+v, %d facts are left", again, in.Facts())
	}
}

// Whatever a session holds, no question is larger than the budget, every source is in one part, and secrets are taken out.
func TestPartsFitTheBudget(t *testing.T) {
	count := tokens.New()
	words := rapid.SampledFrom([]string{"export", "query", "guests", "hunter2secret", "日本語の文字", "a/b/c.go", "\n", "```", "\U0001F9D1\U0001F3FD\u200D\U0001F680", "x9#Q~", "we must never do that again"})
	rapid.Check(t, func(t *rapid.T) {
		var turns [][2]string
		for range rapid.IntRange(1, 9).Draw(t, "turns") {
			text := func(label string) string { return strings.Join(rapid.SliceOfN(words, 1, 200).Draw(t, label), " ") }
			turns = append(turns, [2]string{"please look into the export " + text("prompt"), "The export is done and works for all guests. " + text("words")})
		}
		record := story(turns...)
		in := distill.Input{
			Record: record, Counter: count, Budget: 6_000,
			Clean: func(s string) string { return strings.ReplaceAll(s, "hunter2secret", "[REDACTED]") },
			Standing: []memory.Row{{Memory: memory.Memory{
				ID: memory.NewID(memory.ScopeProject, "p", "y"), Kind: memory.KindNote, Status: memory.StatusActive, Content: "hunter2secret export query guests",
			}}, {Memory: memory.Memory{ID: memory.NewID(memory.ScopeProject, "p", "z"), Source: memory.SourceAssistant, Status: memory.StatusActive, Title: "Use hunter2secret", Area: "hunter2secret"}}},
		}
		for n := range rapid.IntRange(0, 120).Draw(t, "facts") { // they fill the tokens that are reserved for them
			in.Standing = append(in.Standing, memory.Row{Memory: memory.Memory{
				ID: memory.NewID(memory.ScopeProject, "p", fmt.Sprint(n)), Source: memory.SourceAssistant, Status: memory.StatusActive,
				Title: fmt.Sprintf("Export %d is made by query %d", n, n), Area: "exports",
			}})
		}
		parts, sources := in.Parts(), 0
		for _, p := range parts {
			q := p.Question(8)
			if n := q.Tokens(count) + distill.Overhead + q.MaxOutput; n > in.Budget {
				t.Fatalf("a question of %d tokens, the budget is %d", n, in.Budget)
			}
			if strings.Contains(q.Prompt, "hunter2") {
				t.Fatal("the secret is in the prompt")
			}
			sources += len(p.Sources)
		}
		if want := len(distill.Input{Record: record, Counter: count, Budget: 1 << 30}.Parts()[0].Sources); sources != want {
			t.Fatalf("%d of %d sources are asked about", sources, want)
		}
	})
}

// An answer that the user gave in a dialog stands before the model as the user's words, although no prompt has them.
func TestAnAnswerStandsAsTheUsersWords(t *testing.T) {
	record := story(export)
	answer := said(&record, "Redis (asked: “Which store should the queue use?”)", minute(2))
	parts := partsOf(t, distill.Input{Record: record})
	if len(parts) != 1 || !slices.ContainsFunc(parts[0].Sources, func(s distill.Source) bool { return s.User == answer.Content && slices.Contains(s.Memories, answer.ID) }) {
		t.Fatalf("the parts are %+v", parts)
	}
	if asked := parts[0].Question(8).Prompt; !strings.Contains(asked, "user: "+answer.Content) {
		t.Errorf("the model is asked\n%s", asked)
	}
}

// FuzzAnswer: whatever a model answers, only facts of bounded length that quote the record are kept.
func FuzzAnswer(f *testing.F) {
	f.Add(fmt.Appendf(nil, good, ""))
	f.Add([]byte("```json\n{}\n```"))
	part := partsOf(f, distill.Input{Record: story(export)})[0]
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := part.Check(text, 8)
		if err != nil && len(got.Facts) > 0 {
			t.Errorf("%d facts are kept in spite of %v", len(got.Facts), err)
		}
		if len(got.Facts) > 8 {
			t.Errorf("%d facts are kept, the most is 8", len(got.Facts))
		}
		for _, fact := range got.Facts {
			if len(fact.Quotes) == 0 || fact.At.IsZero() || fact.Weight < 1 || fact.Weight > 3 || len(fact.Cues) > 5 || utf8.RuneCountInString(fact.Text) > 360 {
				t.Errorf("kept is %+v", fact)
			}
			if fact.Kind.IsRule() && !fact.ByUser {
				t.Errorf("no source has the rule %+v", fact)
			}
		}
	})
}

// TestUsageNeverGivesTokensBack: whatever a runner reports, its sums count possible values only.
func TestUsageNeverGivesTokensBack(t *testing.T) {
	counts := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 1_000_000), rapid.Int(), rapid.Just(math.MaxInt), rapid.Just(math.MinInt)), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		input, output := counts.Draw(t, "input"), counts.Draw(t, "output")
		usd := rapid.OneOf(rapid.Float64(), rapid.Just(math.NaN()), rapid.Just(math.Inf(-1))).Draw(t, "usd")
		u := distill.NewUsage(input, output, usd)
		sum := func(of []int) (sum float64) {
			for _, n := range of {
				sum += float64(n)
			}
			return sum
		}
		if u.Reported {
			if float64(u.Input) != sum(input) || float64(u.Output) != sum(output) || u.USD != usd || slices.ContainsFunc(slices.Concat(input, output), func(n int) bool { return n < 0 }) || u.USD < 0 {
				t.Errorf("%v and %v, $%g, are %+v", input, output, usd, u)
			}
			return
		}
		if u != (distill.Usage{}) {
			t.Errorf("unreported usage is %+v", u)
		}
		if isUsual := func(n int) bool { return n >= 0 && n <= 1_000_000 }; usd >= 0 && !slices.ContainsFunc(slices.Concat(input, output), func(n int) bool { return !isUsual(n) }) {
			t.Errorf("%v and %v, $%g, are not taken", input, output, usd)
		}
	})
}
