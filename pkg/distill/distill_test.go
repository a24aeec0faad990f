package distill_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens/bpe"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func minute(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }

func counter(t interface{ Fatal(...any) }) tokens.Counter {
	c, err := bpe.New("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// story is a session of turns, each a prompt and the last words, that has ended.
func story(turns ...[2]string) memory.SessionRecord {
	record := memory.SessionRecord{Session: memory.Session{
		ID: "s1", Project: "p", State: memory.SessionCompleted, StartedAt: noon, LastEventAt: minute(10 * len(turns)),
	}}
	for i, turn := range turns {
		record.Prompts = append(record.Prompts, memory.Prompt{ID: fmt.Sprint("p", i), Session: "s1", Project: "p", Text: turn[0], At: minute(10 * i)})
		record.SessionEvents = append(record.SessionEvents, memory.SessionEvent{
			ID: fmt.Sprint("e", i), Session: "s1", Kind: memory.EventTurnEnded, Text: turn[1], At: minute(10*i + 5),
		})
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
		in.Counter = counter(t)
	}
	if in.Budget == 0 {
		in.Budget = 12_000
	}
	return in.Parts()
}

func TestASessionIsOnePartThatShowsWhatWasSaid(t *testing.T) {
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
	if ids := parts[0].Sources[0].Memories; len(ids) != 2 || ids[1] != rule.ID {
		t.Errorf("the turn is of the memories %q", ids)
	}
}

// Of what is known of the project only single sentences are told: what they say can be
// confirmed or corrected, and a report of a page costs more tokens than the session.
func TestOnlyFactsAreTold(t *testing.T) {
	standing := func(kind memory.Kind, content string, tags ...string) memory.Row {
		return memory.Row{Memory: memory.Memory{
			ID: memory.NewID(memory.ScopeProject, "p", content), Kind: kind, Status: memory.StatusActive, Source: memory.SourceAssistant,
			Content: content, Tags: tags, Session: "s0",
		}}
	}
	const about = " of the export query that joined on the account of guests"
	rows := []memory.Row{
		standing(memory.KindConvention, "a rule"+about), standing(memory.KindDiscovery, "a conclusion"+about, memory.TagConclusion),
		standing(memory.KindDiscovery, "a fact"+about, memory.TagModel),
		standing(memory.KindDiscovery, "a subagent's report"+about), standing(memory.KindFailure, "a failure"+about), standing(memory.KindTurn, "a turn"+about),
		standing(memory.KindNote, strings.Repeat("a long note"+about+"; ", 10)),
	}
	told := partsOf(t, distill.Input{Record: story(export), Standing: rows})[0].Told
	if len(told) != 3 || slices.ContainsFunc(told, func(m memory.Memory) bool {
		return m.ID != rows[0].Memory.ID && m.ID != rows[1].Memory.ID && m.ID != rows[2].Memory.ID
	}) {
		t.Errorf("told are %+v", told)
	}
}

// Told is what fits by its words or by a cue, a model's facts and what the user asked to
// remember first, as many as a fifth of the call holds.
func TestWhatIsToldFitsByWordsOrCues(t *testing.T) {
	standing := func(content string, change func(*memory.Row)) memory.Row {
		row := memory.Row{Memory: memory.Memory{
			ID: memory.NewID(memory.ScopeProject, "p", content), Kind: memory.KindConvention, Status: memory.StatusActive,
			Source: memory.SourceUser, Content: content, Session: "s0",
		}}
		change(&row)
		return row
	}
	fact := func(cues ...string) func(*memory.Row) {
		return func(r *memory.Row) {
			r.Memory.Kind, r.Memory.Source, r.Memory.Tags, r.Memory.Cues = memory.KindFix, memory.SourceAssistant, []string{memory.TagModel}, cues
		}
	}
	rows := []memory.Row{
		standing("the export query joined on the account, guests have none", func(*memory.Row) {}),
		standing("nobody may touch the ledger by hand", fact("why is the export empty", "ledger")),
		standing("invoices are numbered by the bank", fact("number of an invoice", "join")),
		standing("guests may not export", func(r *memory.Row) { r.UserWritten = true }),
		standing("the export of guests joins the account", func(r *memory.Row) { fact()(r); r.SupersededBy = "another" }),
		standing("the export of guests joins the session, said evidence", func(r *memory.Row) { r.Memory.Status = memory.StatusEvidence }),
	}
	var contents []string
	for _, m := range partsOf(t, distill.Input{Record: story(export), Standing: rows})[0].Told {
		contents = append(contents, m.Content)
	}
	want := []string{rows[3].Memory.Content, rows[1].Memory.Content, rows[2].Memory.Content, rows[0].Memory.Content}
	slices.Sort(contents[:min(3, len(contents))])
	slices.Sort(want[:3])
	if !slices.Equal(contents, want) {
		t.Errorf("told are %q, want %q", contents, want)
	}

	const budget = 12_000
	count, many := counter(t), []memory.Row{}
	for i := range 400 {
		many = append(many, standing(fmt.Sprintf("the export query of guests has the rule %d of its own, and the account has none", i), fact("export")))
	}
	part := partsOf(t, distill.Input{Record: story(export), Standing: many, Budget: budget})[0]
	tokens := count.Count(part.Question(8).Prompt) - count.Count(partsOf(t, distill.Input{Record: story(export), Budget: budget})[0].Question(8).Prompt)
	if len(part.Told) <= 12 || tokens > budget/5 {
		t.Errorf("%d facts with %d tokens are told", len(part.Told), tokens)
	}
}

const good = `{"summary":{"request":"Guests get an empty export","investigated":"the export query","learned":"guests have no account","completed":"the query joins on the session","next_steps":""},
"facts":[
 {"text":"Queries of the export must not join on the account, because guests have none.","kind":"convention","quotes":["we must never join on the account,\n guests have none"],"cues":["join on the account","sql/export.sql"],"importance":3,"everywhere":true,"about":"","relation":""},
 {"text":"The export of guests has 40 rows since it joins on the session.","kind":"decision","quotes":["the export has 40 rows"],"about":"","relation":""}%s]}`

func TestAnAnswerIsKeptWithTheWordsItRestsOn(t *testing.T) {
	record := story(export)
	part := partsOf(t, distill.Input{Record: record})[0]
	got, err := part.Check(fmt.Appendf(nil, good, ""), 8)
	if err != nil {
		t.Fatal(err)
	}
	want := distill.Checked{
		Digest: memory.Digest{
			Request: "Guests get an empty export", Investigated: "the export query", Learned: "guests have no account",
			Completed: "the query joins on the session", Source: memory.SourceAssistant,
		},
		Facts: []memory.DistilledFact{
			{
				Text: "Queries of the export must not join on the account, because guests have none.", Kind: memory.KindConvention, Called: memory.KindConvention,
				Quotes: []string{"we must never join on the account, guests have none"}, From: part.Sources[0].Memories, At: noon, ByUser: true, Weight: 3,
				Cues: []string{"join on the account", "sql/export.sql"}, Everywhere: true,
			},
			{ // only the assistant said so: it makes no decisions
				Text: "The export of guests has 40 rows since it joins on the session.", Kind: memory.KindDiscovery, Called: memory.KindDecision,
				Quotes: []string{"the export has 40 rows"}, From: part.Sources[0].Memories, At: noon, Weight: 2,
			},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestWhatDoesNotFitIsDroppedWithItsReason(t *testing.T) {
	record := story(export)
	standing := memory.Memory{
		ID: memory.NewID(memory.ScopeProject, "p", "x"), Project: "p", Kind: memory.KindNote, Status: memory.StatusActive,
		Source: memory.SourceAssistant, Content: "the export query joins on the account of the guests", Session: "s0",
	}
	part := partsOf(t, distill.Input{Record: record, Standing: []memory.Row{{Memory: standing}}})[0]
	if len(part.Told) != 1 {
		t.Fatalf("told are %+v", part.Told)
	}
	fact := func(text, kind, quote, about, relation string) string {
		return fmt.Sprintf(`{"text":%q,"kind":%q,"quotes":[%q],"about":%q,"relation":%q}`, text, kind, quote, about, relation)
	}
	long := strings.Repeat("long ", 100)
	facts := []string{
		fact("Nobody said these words at all.", "note", "we always join on the moon", "", ""),
		fact("A quotation that is too short.", "note", "guests", "", ""),
		fact("short", "note", "why is the export empty", "", ""),
		fact(long, "note", "why is the export empty", "", ""),
		fact("A rule of an unknown kind here.", "law", "why is the export empty", "", ""),
		fact("It supersedes what was never told.", "note", "why is the export empty", "aaaaaaaaaaaa", "supersedes"),
		fact("It has a relation that there is not.", "note", "why is the export empty", memory.ShortID(standing.ID), "likes"),
		fact("The export query joins on the session.", "note", "It joins on the session now", memory.ShortID(standing.ID), "supersedes"),
		fact("The export query joins on the session.", "note", "It joins on the session now", "", ""),
		fact("This one is beyond what was asked for.", "note", "why is the export empty", "", ""),
	}
	text := `{"summary":{"request":"` + long + `","investigated":"","learned":"","completed":"","next_steps":""},"facts":[` + strings.Join(facts, ",") + `]}`
	got, err := part.Check([]byte(text), 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Facts) != 1 || got.Facts[0].About != standing.ID || got.Facts[0].Relation != memory.RelationSupersedes {
		t.Errorf("kept are %+v", got.Facts)
	}
	if len(got.Digest.Request) > 303 {
		t.Errorf("the request has %d bytes", len(got.Digest.Request))
	}
	for i, want := range []string{
		"the end of request", "quotes no words", "quotes no words", "says nothing", "499 characters, the most is 240", "no kind", "was not told", "no relation", "most", "most",
	} {
		if i >= len(got.Dropped) || !strings.Contains(got.Dropped[i], want) {
			t.Errorf("dropped %d should be about %q: %q", i, want, got.Dropped)
		}
	}
}

// A fact is kept without cues, and whatever a model writes as cues and importance: what
// cannot be used of these is left out.
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

func TestWhatIsNoAnswerIsRefused(t *testing.T) {
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
	if _, err := distill.CheckWhole([]byte(`{"summary":{"request":""}}`)); !errors.Is(err, distill.ErrAnswer) {
		t.Errorf("an empty summary: %v", err)
	}
	if got, err := part.Check([]byte("```json\n"+fmt.Sprintf(good, "")+"\n```"), 8); err != nil || len(got.Facts) != 2 {
		t.Errorf("in a fence: %v, %+v", err, got)
	}
}

// The client's summary of a compaction says what was done, and not what is worth keeping:
// the part before it is asked about like any other.
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
	if !distill.NeedsWhole(record, parts) {
		t.Error("the summary of both parts is not asked for")
	}
	record.Session.State = memory.SessionActive
	if parts := partsOf(t, distill.Input{Record: record}); len(parts) != 1 || parts[0].Done || strings.Contains(parts[0].Question(8).Prompt, "three guests") {
		t.Errorf("of a session that goes on: %+v", parts)
	}
}

func TestAnAnsweredPartIsNotAskedForAgain(t *testing.T) {
	record := story(export)
	in := distill.Input{Record: record, Counter: counter(t), Budget: 12_000}
	part := in.Parts()[0]
	checked, err := part.Check(fmt.Appendf(nil, good, ""), 8)
	if err != nil {
		t.Fatal(err)
	}
	text, err := memory.DistilledText(memory.Distilled{Part: part.Key, Digest: checked.Digest, Facts: checked.Facts})
	if err != nil {
		t.Fatal(err)
	}
	in.Record.SessionEvents = append(in.Record.SessionEvents, memory.SessionEvent{Kind: memory.EventDistilled, Text: text, At: minute(9)})
	again := in.Parts()
	if len(again) != 1 || !again[0].Done || !strings.Contains(again[0].Summary, "guests have no account") || in.Facts() != 6 {
		t.Errorf("%+v, %d facts are left", again, in.Facts())
	}
}

// Whatever a session holds, no question is larger than the budget, every source is in
// one part, and secrets are taken out.
func TestPartsFitTheBudget(t *testing.T) {
	count := counter(t)
	words := rapid.SampledFrom([]string{"export", "query", "guests", "hunter2secret", "日本語の文字", "a/b/c.go", "\n", "```", "\U0001F9D1\U0001F3FD\u200D\U0001F680", "x9#Q~", "we must never do that again"})
	rapid.Check(t, func(t *rapid.T) {
		var turns [][2]string
		for range rapid.IntRange(1, 25).Draw(t, "turns") {
			text := func(label string) string {
				return strings.Join(rapid.SliceOfN(words, 1, 400).Draw(t, label), " ")
			}
			turns = append(turns, [2]string{"please look into the export " + text("prompt"), "The export is done and works for all guests. " + text("words")})
		}
		record := story(turns...)
		in := distill.Input{
			Record: record, Counter: count, Budget: 6_000,
			Clean: func(s string) string { return strings.ReplaceAll(s, "hunter2secret", "[REDACTED]") },
			Standing: []memory.Row{{Memory: memory.Memory{
				ID: memory.NewID(memory.ScopeProject, "p", "y"), Kind: memory.KindNote, Status: memory.StatusActive, Content: "hunter2secret export query guests",
			}}},
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
		for i := range parts {
			parts[i].Summary = strings.Repeat("a summary of the part ", 100)
		}
		if q := distill.Whole(parts, count, in.Budget); q.Tokens(count)+distill.Overhead+q.MaxOutput > in.Budget {
			t.Fatalf("the question of the whole has %d tokens", q.Tokens(count))
		}
	})
}

// An answer that the user gave in a dialog stands before the model as the user's words,
// although no prompt has them.
func TestAnAnswerStandsAsTheUsersWords(t *testing.T) {
	record := story(export)
	answer := said(&record, "Redis (asked: “Which store should the queue use?”)", minute(2))
	parts := partsOf(t, distill.Input{Record: record})
	if len(parts) != 1 || !slices.ContainsFunc(parts[0].Sources, func(s distill.Source) bool {
		return s.User == answer.Content && slices.Contains(s.Memories, answer.ID)
	}) {
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
			if len(fact.Quotes) == 0 || fact.At.IsZero() || fact.Weight < 1 || fact.Weight > 3 || len(fact.Cues) > 5 || utf8.RuneCountInString(fact.Text) > 240 {
				t.Errorf("kept is %+v", fact)
			}
			if fact.Kind.IsRule() && !fact.ByUser {
				t.Errorf("nobody said the rule %+v", fact)
			}
		}
	})
}
