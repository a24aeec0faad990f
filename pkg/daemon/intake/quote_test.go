package intake_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// ofSession has an event be of another session.
func ofSession(e memory.Event, session string) memory.Event {
	e.Session = session
	return e
}

// cleared is the end of a session by /clear, and a prompt in one that begins then.
func cleared(source, prompt string) []memory.Event {
	ended, begun := daemontest.Event(3, memory.EventSessionEnded), ofSession(daemontest.Event(2, memory.EventSessionStarted), "next")
	ended.Reason, begun.Source = "clear", source
	return []memory.Event{begun, ended, ofSession(daemontest.Prompt(5, prompt), "next")}
}

// What the user said in passing, or asked to keep (each way of saying has one of the two), is replaced only by words that the user
// typed later in the session of the fact: the user is told once, and an undo brings it back.
func TestOnlyTheUsersLaterWordsReplaceTheUsers(t *testing.T) {
	const moved, quote = "The staging db moved to 6544 last night.", "the staging db moved to 6544 last night"
	said := func(text string) []memory.Event { return []memory.Event{daemontest.Prompt(5, text)} }
	for name, test := range map[string]struct {
		events     []memory.Event
		quote      string
		isReplaced bool
	}{
		"the user's words":          {said(moved), quote, true},
		"in other case and spacing": {said(moved), " The Staging DB  moved\nto 6544 last NIGHT", true},
		"in quotation marks":        {said(moved), "“" + quote + "”", true},
		"among other sentences":     {said("Thanks. Note this: use port 1. " + moved + " Go on?"), quote, true},
		"two sentences":             {said("No more 5433. " + moved), "no more 5433. " + quote, true},
		"an item of a list":         {said("today:\n- fix the tests\n\nSo we agree.\n- " + moved), quote, true},
		"with what announces it":    {said("from now on:\n- " + moved), "from now on: " + quote, true},
		"an item and its heading":   {said("from now on:\n- use port 1\n- " + moved), "from now on: " + quote, true},
		"what was to be kept":       {said("Remember: " + moved), quote, true},
		"in bold":                   {said("**" + quote + "**. Go on"), quote, true},
		"all in quotation marks":    {said("\"" + moved + "\""), quote, false},
		"after other prompts":       {append(said(moved), daemontest.Prompt(6, "and fix the tests")), quote, true},
		"none":                      {said(moved), "", false},
		"one letter":                {said(moved), "s", false},
		"spaces":                    {said(moved), "   ", false},
		"words that nobody typed":   {said(moved), "staging db moved to 7777", false},
		"about something else":      {append(said(moved), daemontest.Prompt(6, "and fix the tests")), "and fix the tests", false},
		"a part of a sentence":      {said(moved), "the staging db moved to 6544", false},
		"the end of one":            {said("Eve thinks that " + moved), quote, false},
		"the end, German":           {said("Ich glaube nicht, dass " + moved), quote, false},
		"what a colon announces":    {said("Explain this: " + moved), quote, false},
		"on the line below a colon": {said("What would break if this was true:\n" + moved), quote, false},
		"an item below a colon":     {said("Which of these are wrong:\n- we use port 1\n- " + moved), quote, false},
		"a question":                {said("What if the staging db moved to 6544 last night?"), "What if " + quote + "?", false},
		"in single quotation marks": {said("is '" + quote + "' still right? fix it."), quote, false},
		"in pointed ones":           {said("Eve: »" + quote + "« – fix it."), quote, false},
		"a tool's report":           {said("<task-notification>" + quote + "</task-notification>"), quote, false},
		"a channel's":               {said("<channel user=\"max\">\n" + quote + "\n</channel>"), quote, false},
		"a paste":                   {said("what is this?\n```\n" + quote + "\n```"), quote, false},
		"a quotation":               {said("Max wrote:\n\n> " + quote), quote, false},
		"a text to translate":       {said("Translate this to German: " + quote), quote, false},
		"a supposition":             {said("suppose " + quote + ", what breaks?"), quote, false},
		"another person's":          {said("Eve wrote \"" + quote + "\", is she right?"), quote, false},
		"another person's, German":  {said("Eve schrieb: „" + quote + "“, stimmt das?"), quote, false},
		"a plan of the model's":     {said("Implement the following plan:\n\n" + quote), quote, false},
		"another session's":         {[]memory.Event{ofSession(daemontest.Prompt(5, moved), "other"), daemontest.Prompt(6, "go on please")}, quote, false},
		"after a clear":             {cleared("clear", moved), quote, true},
		"in a session beside":       {cleared("startup", moved), quote, false},
		"a later prompt":            {[]memory.Event{daemontest.Prompt(20, moved)}, quote, false},
		"before what it would replace": {append(said(moved), ofSession(daemontest.Prompt(7, "from now on the staging db listens on 5433"), "s0"),
			ofSession(daemontest.Prompt(8, "Remember: staging listens on 5433 only"), "s0")), quote, false},
		"the assistant's": {func() []memory.Event {
			e := daemontest.Event(5, memory.EventTurnEnded)
			e.Text = "The " + quote + "."
			return []memory.Event{e}
		}(), quote, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rule, old := "", "from now on the staging db listens on 5433"
			if len(name)%2 == 0 {
				rule, old = "Remember: ", "staging listens on 5433 only"
			}
			a, _, s := daemontest.New(t)
			a.Now = func() time.Time { return daemontest.Noon.Add(time.Hour) }
			a.Rebuild()
			daemontest.Put(t, s, append([]memory.Event{ofSession(daemontest.Prompt(1, rule+old), "s0")}, test.events...)...)
			id := memory.NewID(memory.ScopeProject, "p", old)
			e := replacing(9, "The staging db listens on 6544.", id[:6])
			e.Quote = test.quote
			result := kept(t, a, e)
			if (result.Replaced == id) != test.isReplaced || (result.Stands == "") != test.isReplaced {
				t.Errorf("%q: replaced %q, stands %q", rule+old, result.Replaced, result.Stands)
			}
			line, run := a.Told.Next(t.Context(), "p")
			if strings.Contains(line, old+"” by your later words") != test.isReplaced {
				t.Errorf("%q: the user is told %q", rule+old, line)
			}
			if test.isReplaced {
				daemontest.ToldOnceAndUndone(t, a, run, id)
			}
		})
	}
}

// What the user said in passing is no line of its own beside the fact that quotes it, of this session or in its own words of an
// earlier one. A fact in other words, or that quotes nothing, stands beside it. The user is told where the fact might say the opposite.
func TestAFactTakesThePlaceOfWhatItQuotes(t *testing.T) {
	const line = "from now on we always name the ticket in a commit"
	for name, test := range map[string]struct {
		session, text, quote string
		replaces, isGone     bool
		told                 string
	}{
		"quoted in its session":             {"s1", "Commits name their ticket.", line, false, true, ""},
		"and named":                         {"s1", "Commits name their ticket.", line, true, true, ""},
		"not quoted":                        {"s1", "Commits name their ticket.", "", false, false, ""},
		"named, and not quoted":             {"s1", "Commits name their ticket.", "", true, false, ""},
		"later in its own words":            {"s0", "we always name the ticket in a commit", "", true, true, "to undo this"},
		"later in its own words, quoted":    {"s0", "We always name the ticket in a commit", line, true, true, "to undo this"},
		"later in its own words, not named": {"s0", "we always name the ticket in a commit", line, false, false, ""},
		"quoted, and turned around":         {"s1", "Commits never name their ticket.", line, false, true, "by “Commits never name their ticket.”"},
		"later in other words":              {"s0", "Commits never name a ticket", line, true, false, ""},
	} {
		a, _, s := daemontest.New(t)
		a.Rebuild()
		daemontest.Put(t, s, ofSession(daemontest.Prompt(1, line), test.session), daemontest.Prompt(2, "go on please"))
		id := memory.NewID(memory.ScopeProject, "p", line)
		e := daemontest.Stored(3, test.text)
		if e.Quote = test.quote; test.replaces {
			e.Replaces = id
		}
		by := kept(t, a, e).Memory.ID
		if got := daemontest.RowOf(t, a, id).SupersededBy; (got == by) != test.isGone {
			t.Errorf("%s: it is superseded by %q", name, got)
		}
		if told, _ := a.Told.Next(t.Context(), "p"); !strings.Contains(told, test.told) || (told == "") != (test.told == "") {
			t.Errorf("%s: the user is told %q", name, told)
		}
	}
}

// A fact that is stored again with the words that the user said again stands in their place: no two memories supersede each other, and
// the last word is told alone. A fact that other words have replaced, which it does not replace, leaves the user's sentence standing.
func TestAFactAndItsSentenceDoNotSupersedeEachOther(t *testing.T) {
	const postgres, mysql = "from now on the database is Postgres", "from now on the database is MySQL"
	for name, c := range map[string]struct {
		said         []string
		isOneSession bool
		isEdited     bool // the first fact's text is edited by the user after it was stored
		want         string
		without      string
	}{
		"twice":                    {said: []string{postgres, postgres}, isOneSession: true, want: "“The database is Postgres.”", without: postgres},
		"three times":              {said: []string{postgres, postgres, postgres}, want: "“The database is Postgres.”", without: postgres},
		"after another":            {said: []string{postgres, mysql, postgres}, want: "“The database is Postgres.”", without: "MySQL"},
		"after another in it":      {said: []string{postgres, mysql, postgres}, isOneSession: true, want: "“The database is Postgres.”", without: "MySQL"},
		"after two others":         {said: []string{postgres, mysql, postgres, mysql}, want: "“The database is MySQL.”", without: "Postgres"},
		"after the user's edit":    {said: []string{postgres, postgres}, isEdited: true, want: "Postgres"},
		"after an edit and others": {said: []string{postgres, mysql, postgres}, isOneSession: true, isEdited: true, want: "Postgres"},
	} {
		a, _, _ := daemontest.New(t)
		now, last := daemontest.Noon, ""
		a.Now = func() time.Time { return now }
		for i, line := range c.said {
			session := "s1"
			if !c.isOneSession {
				session += strings.Repeat("1", i)
			}
			at := func(e memory.Event) memory.Event {
				now = now.Add(time.Minute)
				e.At, e.ID, e.Session = now, memory.NewEventID(now), session
				return e
			}
			daemontest.Ingested(t, a, at(daemontest.Prompt(1, line)))
			e := at(replacing(1, "The database is "+line[len("from now on the database is "):]+".", last))
			e.Quote = line
			if last = kept(t, a, e).Memory.ID; c.isEdited && i == 0 {
				now = now.Add(time.Minute)
				last = daemontest.Changed(t, a, last, 0, memory.Change{ID: memory.NewEventID(now), At: now, By: memory.ByPerson, Content: "The database is Oracle."}).ID
			}
		}
		if start := daemontest.StartOf(t, a, "next"); !strings.Contains(start, c.want) || c.without != "" && strings.Contains(start, c.without) {
			t.Errorf("%s, in one session %t: a start has\n%s", name, c.isOneSession, start)
		}
	}
}

// The answer names the standing memory that a new fact may make false, unless it has replaced one.
func TestAStoredFactNamesTheNearest(t *testing.T) {
	a, _, s := daemontest.New(t)
	store := func(n int, title, replaces string) daemonapi.RememberResult {
		e := replacing(n, title+", because the style guide says so", replaces)
		e.Title, e.Area = title, "code style"
		return kept(t, a, e)
	}
	daemontest.Put(t, s, ofSession(daemontest.Prompt(1, "from now on we write class names in upper case"), "s0"))
	variables := store(2, "Variables end with '_w'", "").Memory
	for title, want := range map[string]string{
		"Variables end with '_x'":    variables.Content,
		"Class names in lower case":  "from now on we write class names in upper case",
		"Run the linter before dawn": "",
	} {
		musttest.Same(t, want, store(3, title, "").Nearest.Content, "%q: the nearest (-want +got)", title)
	}
	if got := store(9, "Variables end with '_y'", variables.ID); got.Replaced != variables.ID || got.Nearest.ID != "" {
		t.Errorf("it replaced %q, and the nearest is %q", got.Replaced, got.Nearest.Content)
	}
}

// A fact that is stored once more counts as said again if the user typed its quote in the session, and another one had it.
func TestAFactIsSaidAgainByTheUsersWordsOnly(t *testing.T) {
	const text, quote = "Commits name their ticket.", "name the ticket in the commit"
	for name, test := range map[string]struct {
		first, quote string
		want         int
	}{
		"the user's words":    {"s0", quote, 2},
		"in the same session": {"s1", quote, 0},
		"without a quote":     {"s0", "", 0},
		"words nobody typed":  {"s0", "name the ticket in each commit", 0},
	} {
		a, _, s := daemontest.New(t)
		kept(t, a, ofSession(daemontest.Stored(1, text), test.first))
		daemontest.Put(t, s, daemontest.Prompt(5, "I said it before. "+quote))
		e := daemontest.Stored(9, text)
		e.Quote = test.quote
		id := kept(t, a, e).Memory.ID
		musttest.Same(t, test.want, daemontest.RowOf(t, a, id).Memory.Said(), "%s: it was said (-want +got)", name)
	}
}

// A fact that the assistant stores reaches every project only by a quote of the user's that says so; a person takes that back, no model does.
func TestOnlyTheUsersWordsWidenAFact(t *testing.T) {
	const text, quote = "Commits name their ticket.", "in all my projects commits name the ticket"
	for name, test := range map[string]struct {
		quote string
		want  memory.Scope
	}{
		"the user's words":   {quote, memory.ScopeUser},
		"a part of them":     {"commits name the ticket", memory.ScopeProject},
		"words nobody typed": {"in every repo commits name the ticket", memory.ScopeProject},
		"no words":           {"", memory.ScopeProject},
	} {
		a, _, s := daemontest.New(t)
		daemontest.Put(t, s, daemontest.Prompt(5, quote))
		e := daemontest.Stored(9, text)
		e.Quote, e.Everywhere = test.quote, true
		m := kept(t, a, e).Memory
		elsewhere := musttest.Get(a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "q", Session: "s9", TokenBudget: 2000}))(t)
		if m.Scope != test.want || strings.Contains(elsewhere.Text, text) != (test.want == memory.ScopeUser) {
			t.Errorf("%s: it has the scope %s, and another project starts with %q", name, m.Scope, elsewhere.Text)
		}
		if test.want != memory.ScopeUser {
			continue
		}
		narrow := daemonapi.AmendParams{Project: "p", ID: m.ID, Change: memory.Change{ID: memory.NewEventID(daemontest.Noon), At: daemontest.Noon, By: "mcp", Scope: memory.ScopeProject}}
		musttest.Fails(t, musttest.Err(a.Intake.Amend(t.Context(), narrow)), "a model narrows it")
		narrow.Change.By = memory.ByPerson
		musttest.Get(a.Intake.Amend(t.Context(), narrow))(t)
		if row := daemontest.RowOf(t, a, m.ID); row.Memory.Scope != memory.ScopeProject || row.Memory.Project != "p" {
			t.Errorf("taken back it has the scope %s of %q", row.Memory.Scope, row.Memory.Project)
		}
	}
}

// Where the user keeps only what he asks for, nothing else becomes a memory, whatever came: prompts and events are there all the same, and
// what was kept before stays.
func TestOnlyWhatWasAskedForBecomesAMemory(t *testing.T) {
	const said, asked, quote = "we must never round prices in the shop", "the staging port is 6543", "please store that the shop has no coupons"
	a, store, s := daemontest.New(t)
	only := false
	a.OnlyAsked = func() bool { return only }
	a.Rebuild()
	daemontest.Put(t, s, daemontest.Prompt(1, "we must always name the ticket"))
	daemontest.Ingested(t, a)
	only = true
	failed, worked, edit := daemontest.Failed(4, "npm install"), daemontest.Event(5, memory.EventCommandSucceeded), daemontest.Edit(6, "s1", "a.go")
	worked.Command = "npm install --legacy-peer-deps"
	fact := memory.DistilledFact{Text: "Prices are never rounded.", Kind: memory.KindConvention, Called: memory.KindConvention, Quotes: []string{said}, At: daemontest.Noon, ByUser: true}
	distilled := daemontest.Event(9, memory.EventDistilled)
	distilled.Distilled = &memory.Distilled{Part: "1", Model: "m", Facts: []memory.DistilledFact{fact}}
	ended := daemontest.Event(8, memory.EventSessionEnded)
	daemontest.Put(t, s, daemontest.Prompt(2, said), daemontest.Prompt(3, "Remember: "+asked), failed, worked, edit, daemontest.Prompt(7, quote), ended, distilled,
		daemontest.ImportedNote(1, "brought from elsewhere"), daemontest.Noted(9, "typed on the command line"))
	daemontest.Ingested(t, a)
	byModel := daemontest.Stored(10, "The shop has no coupons.")
	daemontest.Put(t, s, byModel)
	musttest.Is(t, memory.ErrInvalid, musttest.Err(a.Intake.IngestOne(t.Context(), byModel)), "what a model stores without words of the user")
	invented := daemontest.Stored(11, "The shop has vouchers.")
	invented.Quote = "please store that the shop has vouchers"
	daemontest.Kept(t, a, invented)
	byModel = daemontest.Stored(12, "The shop has no coupons at all.")
	byModel.Quote = quote
	daemontest.Kept(t, a, byModel)
	all := musttest.Get(memory.Memories(t.Context(), store, memory.Filter{Project: "p", Limit: 100, Statuses: []memory.Status{memory.StatusActive}}))(t)
	var kept []string
	for _, m := range all {
		kept = append(kept, m.Content)
	}
	slices.Sort(kept)
	want := []string{"The shop has no coupons at all.", "brought from elsewhere", asked, "typed on the command line", "we must always name the ticket"}
	if !slices.Equal(kept, want) {
		t.Errorf("kept are %q, want %q", kept, want)
	}
	record, err := memory.RecordOf(t.Context(), store, "s1")
	if err != nil || len(record.Prompts) != 4 || len(record.SessionEvents) < 3 {
		t.Errorf("the session has %d prompts and %d events, %v", len(record.Prompts), len(record.SessionEvents), err)
	}
	if hits, err := a.Answers.Find(t.Context(), daemonapi.FindParams{Project: "p", Text: "round prices", Limit: 5}); err != nil || len(hits) == 0 {
		t.Errorf("what was said in passing is found by its words: %v, %v", hits, err)
	}
	id := memory.NewID(memory.ScopeProject, "p", asked)
	away := memory.Change{ID: memory.NewEventID(daemontest.Noon), At: daemontest.Noon, By: memory.ByPerson, Status: memory.StatusArchived, Reason: "it moved"}
	musttest.Get(a.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: id, Change: away}))(t)
	daemontest.Put(t, s, daemontest.Stored(13, asked))
	daemontest.Ingested(t, a)
	if row := daemontest.RowOf(t, a, id); row.Memory.Status != memory.StatusArchived {
		t.Errorf("a model brings back what a person archived: it is %s", row.Memory.Status)
	}
}
