package briefing_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Whatever form a correction has, without a model no start has only what was said first, nor has it above what was said
// later. Each session says one thing among small talk; the last one holds.
func TestTheLastWordStandsAboveTheFirst(t *testing.T) {
	conversations := map[string][]string{ // of each project
		"npm":                      {"we use npm in this repository, and nothing else", "we switched to pnpm last night, the lockfile is in"},
		"a port":                   {"Remember: the staging database listens on port 5433", "staging moved to port 6544, the old one is taken"},
		"not anymore":              {"we always deploy on fridays, after lunch", "not anymore, the friday deploys cost us two weekends"},
		"a path":                   {"Remember that the vault path is secret/app", "the vault path is now secret/platform/app"},
		"a version":                {"we must build with node 18 because of the images", "we upgraded to node 20, all of the images have it"},
		"a service":                {"we use redis for the queue of the mails", "redis is gone, the queue lives in postgres"},
		"a todo":                   {"Todo: rotate the staging key", "the staging key is rotated, so that todo is done"},
		"a proposal":               {"let's use a cache for the list of rooms", "no, we don't want a cache there, it hid the bookings"},
		"after Convention":         {"Convention: indent with tabs", "Convention: indent with four spaces"},
		"in German":                {"wir verwenden npm für alle pakete", "wir benutzen kein npm mehr, sondern pnpm"},
		"in French":                {"on utilise toujours yarn pour ce projet", "désormais on prend pnpm pour tout"},
		"in Spanish":               {"siempre usamos moment para las fechas", "ya no usamos moment, las fechas van con date-fns"},
		"in Chinese":               {"必须使用 npm 安装依赖。", "以后都用 pnpm 安装依赖。"},
		"a person":                 {"Remember: Lena owns the billing service", "from now on billing belongs to Tariq, Lena has left"},
		"a literal":                {"start the names of tables with 't_', please", "the names of tables start with 'tbl_', as the new linter wants"},
		"a prohibition":            {"Never: mock the database in a test", "the database is mocked in unit tests now, the suite took an hour"},
		"a preference":             {"I prefer many short functions", "I don't want tiny functions, they hide the flow"},
		"an address":               {"Remember that the handbook is at https://wiki.example/old", "the handbook has moved, it is at https://docs.example/new"},
		"a name":                   {"the release branch must be master, for the mirror", "the release branch was renamed to trunk, the mirror follows"},
		"there and back":           {"Always: indent with tabs", "indent with spaces from now on", "we go back to tabs, no longer spaces"},
		"back in other words":      {"Remember: the queue is Kafka", "Remember: the queue is Rabbit", "the queue is Kafka from now on"},
		"taken back":               {"Remember: the staging port is 5432", "Forget what I said about the staging port."},
		"not to be remembered":     {"Remember: the customer is called Acme", "Please don't remember that the customer is called Acme."},
		"taken back in German":     {"Remember: der Port ist immer 5432", "Vergiss, was ich zum Port gesagt habe."},
		"a decision by the number": {"Decision: at most 3 retries for a payment", "Decision: at most 5 retries for a payment"},
	}
	a, _, _ := daemontest.New(t)
	a.Now = func() time.Time { return daemontest.Noon.AddDate(0, 0, 30) }
	for i := range 3 { // sessions of all projects, one after the other
		var all []memory.Event
		for name, said := range conversations {
			if i >= len(said) {
				continue
			}
			add := func(n int, kind memory.EventKind, text string) memory.Event {
				e := daemontest.Event(n, kind)
				e.Project = memory.Project{Key: name, Name: name, Root: "/" + name}
				e.At, e.Session = e.At.AddDate(0, 0, 2*i), fmt.Sprint(name, i)
				e.ID = memory.NewEventID(e.At)
				if kind == memory.EventPrompt {
					e.Prompt = text
				} else {
					e.Text = text
				}
				return e
			}
			all = append(all, add(1, memory.EventPrompt, "good morning, can you look at the failing test of the importer?"),
				add(2, memory.EventTurnEnded, "The test expects another order of the rows."), add(3, memory.EventPrompt, said[i]), add(4, memory.EventTurnEnded, "Understood."))
		}
		daemontest.Ingested(t, a, all...)
	}
	musttest.Get(a.Upkeep.Consolidate(t.Context(), daemonapi.ConsolidateParams{Trigger: "manual"}))(t)
	for name, said := range conversations {
		start := musttest.Get(a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: name, Session: "next", Source: "startup", TokenBudget: 1000}))(t).Text
		at := func(text string) int {
			return strings.Index(start, strings.TrimLeft(text[strings.Index(text, ":")+1:], " "))
		}
		last := at(said[len(said)-1])
		if last < 0 || slices.ContainsFunc(said[:len(said)-1], func(text string) bool { return at(text) >= 0 && at(text) < last }) {
			t.Errorf("%s: %q does not stand first in\n%s", name, said[len(said)-1], start)
		}
	}
}

// Of two long sentences of the user's that differ in one word, neither says what the other says.
func TestOneWordMakesAnotherStatement(t *testing.T) {
	const key = "the releases of the desktop app are signed with the key in the vault path "
	for _, said := range [][]string{
		{"Remember: " + key + "alpha", "From now on " + key + "omega"},
		{"Remember: " + key + "alpha", "Remember: " + key + "omega"},
		{"we always say: " + key + "alpha", "we always say: " + key + "omega"},
		{"Remember: never import api from web", "Remember: never import web from api"},
		{"Remember: never copy prod data to staging", "From now on never copy staging data to prod"},
		{"Remember: C files use tabs", "Remember: C++ files use tabs"},
		{"Remember: values < 0 are rejected", "Remember: values > 0 are rejected"},
		{"Remember: the offset is +1", "Remember: the offset is -1"},
		{"Remember: the branch is feature/x", "Remember: the branch is feature-x"},
		{"Remember: read src/a/b first", "Remember: read src/b/a first"},
		{"Remember: the level is MAX", "Remember: the level is Max"},
		{"Remember: the deploy of the service billing to the northern region needs a ticket from the ops team", "Remember: the deploy of the service shipping to the northern region needs a ticket from the ops team"},
	} {
		a, _, _ := daemontest.New(t)
		for i, text := range said {
			e := daemontest.Prompt(i+1, text)
			e.Session = fmt.Sprint("s", i)
			daemontest.Ingested(t, a, e)
		}
		got := musttest.Get(a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "p", Session: "next", Source: "startup", TokenBudget: 2000}))(t)
		older, newer := render.Harmless(strings.TrimPrefix(said[0], "Remember: ")), render.Harmless(strings.TrimPrefix(said[1], "Remember: "))
		if at := strings.Index(got.Text, newer); at < 0 || at > strings.Index(got.Text, older) {
			t.Errorf("%q: the start has %q", said, got.Text)
		}
	}
}

// TestNoStatementIsToldWithoutItsCorrection says something, then what may correct it in passing, and then sixty other sentences, more than
// a start shows. A start, a prompt, and a file that is read must not have the first sentence alone or on top.
func TestNoStatementIsToldWithoutItsCorrection(t *testing.T) {
	verbs, things := strings.Fields("check paint weigh sort count stack label seal open lift"), strings.Fields("crates barrels parcels pallets letters ropes")
	for name, c := range map[string]struct {
		old, correction string
		asks            daemonapi.RecallParams
	}{
		"a port":        {"Remember: the staging database port is always 5432.", "The staging database is on 6543 from now on, no longer 5432.", daemonapi.RecallParams{Purpose: daemonapi.ForPrompt, Text: "which staging database port do we use for the dump"}},
		"a file":        {"Remember: a.go must always be formatted with tabs.", "a.go must be formatted with spaces from now on.", daemonapi.RecallParams{Purpose: daemonapi.ForRead, File: "a.go"}},
		"a branch":      {"Convention: releases are cut from the branch stable", "from now on releases are cut from the trunk, the old branch is gone", daemonapi.RecallParams{Purpose: daemonapi.ForPrompt, Text: "cut the releases from the right branch"}},
		"a tool":        {"Always: install the packages with npm", "packages: install them with pnpm from now on, never npm", daemonapi.RecallParams{Purpose: daemonapi.ForPrompt, Text: "install the packages of the new app"}},
		"a command":     {"Remember: run make check before every commit", "from now on run make verify before every commit, never make check", daemonapi.RecallParams{Purpose: daemonapi.ForPrompt, Text: "commit it: what must I run before"}},
		"one word":      {"Never: squash", "from now on you may squash the commits of a branch", daemonapi.RecallParams{Purpose: daemonapi.ForPrompt, Text: "merge it: should I squash"}},
		"a prohibition": {"Never: mock the database in a test", "from now on mock the database in a unit test", daemonapi.RecallParams{Purpose: daemonapi.ForPrompt, Text: "write a test: mock the database or not?"}},
	} {
		a, _, _ := daemontest.New(t)
		var said []memory.Event
		say := func(session, text string) {
			e := daemontest.Prompt(60*len(said), text)
			e.Session = session
			said = append(said, e)
		}
		say("s1", c.old)
		say("s2", c.correction)
		daemontest.Ingested(t, a, said...)
		fact := daemontest.Stored(60*len(said), "The user corrected this: "+c.correction) // which leaves the user's words where the older statement stands
		fact.Session, fact.Quote = "s2", c.correction
		daemontest.Put(t, a.Spools[0], fact)
		result := musttest.Get(a.Intake.IngestOne(t.Context(), fact))(t)
		if result.Replaced != "" {
			t.Errorf("%s: %+v", name, result)
		}
		for i := range 60 {
			say(fmt.Sprint("other", i/6), fmt.Sprintf("We always %s the %s of harbour %d before the gate opens in the morning.", verbs[i%10], things[i%6], i))
		}
		daemontest.Ingested(t, a, said...)
		_, old, _ := strings.Cut(c.old, " ")
		old = strings.TrimPrefix(strings.TrimPrefix(old, "that "), "the ")
		isRight := func(text string) bool {
			at, last := strings.Index(text, old), strings.Index(text, c.correction)
			return at < 0 || last >= 0 && last < at
		}
		if text := daemontest.StartOf(t, a, "next"); !isRight(text) || !strings.Contains(text, c.correction) {
			t.Errorf("%s: a start has\n%s", name, text)
		}
		c.asks.Session = "without-a-start"
		if text := daemontest.Recalled(t, a, c.asks); !isRight(text) {
			t.Errorf("%s: %+v gets\n%s", name, c.asks, text)
		}
		c.asks.Session = "s2" // the session that corrected it
		if text := daemontest.Recalled(t, a, c.asks); strings.Contains(text, old) {
			t.Errorf("%s: in the session that said otherwise, %+v gets\n%s", name, c.asks, text)
		}
	}
}

// A fact that stands for what the user said does not let an older line stand above it: the user's sentence keeps its place, and the model
// is not asked to store it again. Without an older line, the sentence is not listed. When the fact is forgotten, the sentence is said in passing again.
func TestAFactKeepsThePlaceOfTheWordsThatItQuotes(t *testing.T) {
	for name, c := range map[string]struct {
		old, said, fact string
		isImported      bool // the older line is imported after the fact was stored
		isForgotten     bool // the fact is forgotten
		isListed        bool
	}{
		"asked for":           {old: "Remember: the db is Postgres", said: "from now on the db is MySQL", fact: "The database is MySQL.", isListed: true},
		"in the same words":   {old: "Remember: the db is Postgres", said: "the db is always MySQL", fact: "The db is MySQL.", isListed: true},
		"in passing":          {old: "we always indent with tabs", said: "from now on indent with spaces", fact: "Indentation is done with spaces.", isListed: true},
		"without common word": {old: "Remember: install with npm", said: "pnpm from now on, please", fact: "The package manager is pnpm.", isListed: true},
		"imported later":      {old: "Remember: the staging db listens on 5432", said: "from now on the staging db listens on 6544", fact: "Staging listens on 6544.", isImported: true, isListed: true},
		"no older line":       {said: "from now on the db is MySQL", fact: "The database is MySQL."},
		"forgotten":           {old: "Remember: the db is Postgres", said: "from now on the db is MySQL", fact: "The database is MySQL.", isForgotten: true, isListed: true},
	} {
		a, _, _ := daemontest.New(t)
		a.Now = func() time.Time { return daemontest.Noon.Add(9 * time.Hour) }
		old := daemontest.Prompt(1, c.old)
		if old.Session = "s0"; c.old != "" && !c.isImported {
			daemontest.Ingested(t, a, old)
		}
		daemontest.Ingested(t, a, daemontest.Prompt(5, c.said))
		fact := daemontest.Stored(9, c.fact)
		fact.Quote = c.said
		id := daemontest.Kept(t, a, fact).ID
		if c.isImported {
			old.ID = memory.NewImportID("transcript", "1")
			musttest.Get(a.Intake.Import(t.Context(), daemonapi.ImportParams{Events: []memory.Event{old}}))(t)
		}
		if c.isForgotten {
			daemontest.Changed(t, a, id, 1, memory.Change{Status: memory.StatusArchived})
		}
		start := daemontest.StartOf(t, a, "next")
		at, older := strings.Index(start, c.said), strings.Index(start, strings.TrimPrefix(c.old, "Remember: "))
		if at >= 0 != c.isListed || c.isListed && older < at || strings.Contains(start, c.fact) == c.isForgotten || strings.Contains(start, "said, 20 Nov] "+c.said) != c.isForgotten {
			t.Errorf("%s: a start has\n%s", name, start)
		}
	}
}

// Words that may correct a statement and do not fit into the budget leave no room for the statement.
func TestNoOlderStatementIsToldWhereTheNewerHasNoRoom(t *testing.T) {
	a, _, _ := daemontest.New(t)
	long := "Remember: from now on the staging database port is 6543" + strings.Repeat(", and the operators of one more cluster have moved it, too", 30)
	old, newer := daemontest.Prompt(1, "Remember: the staging database port is 5432"), daemontest.Prompt(60, long)
	newer.Session = "s2"
	daemontest.Ingested(t, a, old, newer)
	asks := daemonapi.RecallParams{Purpose: daemonapi.ForPrompt, Text: "which port has the staging database", Session: "s3", TokenBudget: 200}
	if text := daemontest.Recalled(t, a, asks); strings.Contains(text, "5432") {
		t.Errorf("a prompt gets\n%s", text)
	}
	asks.TokenBudget, asks.Session = 1000, "s4"
	if text := daemontest.Recalled(t, a, asks); !strings.Contains(text, "6543") || !strings.Contains(text, "5432") {
		t.Errorf("with room a prompt gets\n%s", text)
	}
}

// What the user said before stands above what was said meanwhile when the user says it again, although a fact says the same, and although
// a fact stands for what was said meanwhile.
func TestAFactThatSaysTheSameHidesNoReturn(t *testing.T) {
	for again, meanwhile := range map[string]string{
		"Remember: the queue is Kafka": "Remember: the queue is Rabbit", "from now on the queue is Kafka": "Remember: the queue is Rabbit",
		"Remember: the queue is Kafka now": "from now on the queue is Rabbit",
	} {
		a, _, _ := daemontest.New(t)
		a.Now = func() time.Time { return daemontest.Noon.Add(time.Hour) }
		daemontest.Kept(t, a, daemontest.Stored(1, "The queue is Kafka."))
		other, last, fact := daemontest.Prompt(2, meanwhile), daemontest.Prompt(4, again), daemontest.Stored(3, "Messages go through Rabbit.")
		other.Session, last.Session, fact.Session, fact.Quote = "s2", "s3", "s2", meanwhile
		daemontest.Ingested(t, a, other)
		daemontest.Kept(t, a, fact)
		daemontest.Ingested(t, a, last)
		start := daemontest.StartOf(t, a, "next")
		if at := strings.Index(start, "the queue is Kafka"); at < 0 || at > strings.Index(start, "Rabbit") {
			t.Errorf("%q: a start has\n%s", again, start)
		}
	}
}

// A fact that repeats a correction said in passing does not leave the older sentence alone, whether it quotes the correction or not.
func TestAFactThatRepeatsACorrectionLeavesItInAStart(t *testing.T) {
	const old, correction = "From now on the API runs on port 8080.", "The API runs on port 9090 from now on."
	for _, quote := range []string{"", correction} {
		a, _, _ := daemontest.New(t)
		older, newer, fact := daemontest.Prompt(1, old), daemontest.Prompt(60, correction), daemontest.Stored(61, "The API runs on port 9090.")
		newer.Session, fact.Session, fact.Quote = "s2", "s2", quote
		daemontest.Ingested(t, a, older, newer)
		daemontest.Kept(t, a, fact)
		text := daemontest.StartOf(t, a, "next")
		if at, last := strings.Index(text, old), strings.Index(text, correction); at >= 0 && (last < 0 || at < last) {
			t.Errorf("quote %q: a start has\n%s", quote, text)
		}
	}
}

// Where room is short, a line with precedence is told with the newer words that may correct it, or not at all: at a start and to a subagent.
func TestAPrecedingLineIsToldWithItsCorrection(t *testing.T) {
	const old, newer = "the staging database is on port 5432", "the staging database is on port 6543 now, no longer on 5432"
	isPinned := true
	for name, c := range map[string]struct {
		pins, again, isFact, asks bool
	}{
		"pinned": {pins: true}, "pinned, asked for": {pins: true, asks: true}, "said again": {again: true}, "pinned fact": {pins: true, isFact: true}, "asked for": {},
	} {
		a, _, _ := daemontest.New(t)
		a.Counter = daemontest.ExactCounter(t)
		a.Now = func() time.Time { return daemontest.Noon.Add(9 * time.Hour) }
		said := func(n int, session, text string) memory.Event {
			e := daemontest.Prompt(n, text)
			e.Session = session
			return e
		}
		id := memory.NewID(memory.ScopeProject, "p", old)
		if c.isFact {
			id = daemontest.Kept(t, a, daemontest.Stored(1, old)).ID
		} else {
			daemontest.Ingested(t, a, said(1, "s1", "Remember: "+old))
		}
		if c.again {
			daemontest.Ingested(t, a, said(2, "s2", "Remember: "+old))
		}
		if c.pins {
			daemontest.Changed(t, a, id, 0, memory.Change{Pinned: &isPinned})
		}
		text := newer
		if c.asks {
			text = "Remember: " + newer
		}
		later, stored := []memory.Event{said(3, "s3", text)}, 0
		for _, others := range []int{5, 20, 30, 60} {
			for ; stored < others; stored++ {
				later = append(later, said(4+stored, fmt.Sprint("t", stored), fmt.Sprintf("Remember: the rule number %[1]d of the long house list says that thing %[1]d goes to the place %[1]d of the building on street %[1]d", stored)))
			}
			daemontest.Ingested(t, a, later...)
			later = nil
			start := daemontest.StartOf(t, a, fmt.Sprint("next", others))
			task := daemontest.Recalled(t, a, daemonapi.RecallParams{Session: fmt.Sprint("without-a-start", others), Purpose: daemonapi.ForSubagent, Text: "work", Subagent: "x", TokenBudget: 800})
			for _, told := range []string{start, task} {
				if strings.Contains(told, old) && !strings.Contains(told, newer) {
					t.Errorf("%s, and %d other lines: it is told alone:\n%s", name, others, told)
				}
			}
			if !strings.Contains(start, newer) && (c.pins || c.again) {
				t.Errorf("%s, and %d other lines: a start has not what corrects it:\n%s", name, others, start)
			}
		}
	}
}

// However much was said in passing since, what the user asked to keep is at the start, with the newest words that may correct it.
func TestWhatIsAskedForIsAtTheStart(t *testing.T) {
	ports := func(i int) string { return fmt.Sprintf("Remember: service s%d listens on port %d", i, 4000+i) }
	rules := func(i int) string {
		return fmt.Sprintf("Remember: the %s team reviews changes of module m%d", strings.Fields("red blue green black white")[i%5], i)
	}
	a, _, _ := daemontest.New(t)
	a.Counter = daemontest.ExactCounter(t)
	a.Now = func() time.Time { return daemontest.Noon.Add(9 * time.Hour) }
	for name, c := range map[string]struct {
		asked, said func(i int) string
		of          int  // how many are asked for
		corrects    bool // whether the first sentence in passing corrects the first line
		pinned      bool // whether the first line is pinned
	}{
		"of the same form": {ports, func(i int) string {
			return fmt.Sprintf("service x%d always listens on port %d in the sandbox", i, 9000+i)
		}, 10, false, false},
		"one line": {ports, func(i int) string {
			return fmt.Sprintf("service x%d always listens on port %d in the sandbox", i, 9000+i)
		}, 1, false, false},
		"each like one line": {rules, func(i int) string {
			return fmt.Sprintf("from now on the team reviews changes of module m%d on day %d", i%10, i)
		}, 10, false, false},
		"about something else": {ports, func(i int) string { return fmt.Sprintf("we always paint house %d in colour %d", i, i) }, 20, false, false},
		"todos":                {func(i int) string { return fmt.Sprintf("Todo: rotate the key of host h%d", i) }, func(i int) string { return fmt.Sprintf("we always rotate the key of host x%d", i) }, 10, false, false},
		"preferences":          {func(i int) string { return fmt.Sprintf("Preference: file f%d stays short", i) }, func(i int) string { return fmt.Sprintf("file x%d always stays short", i) }, 10, false, false},
		"corrected long ago":   {ports, func(i int) string { return fmt.Sprintf("we always paint house %d in colour %d", i, i) }, 5, true, false},
		"pinned, corrected":    {ports, func(i int) string { return fmt.Sprintf("service x%d always listens on port %d", i, 9000+i) }, 10, false, true},
	} {
		index, n := musttest.Get(a.Briefing.Index(t.Context(), name))(t), 0
		say := func(text, session string) {
			_, line, isAsked := strings.Cut(text, ": ")
			m := memory.Memory{Content: text, Kind: memory.KindNote, Importance: memory.SaidImportance, Source: memory.SourceUser, Status: memory.StatusActive, Session: session}
			if isAsked {
				m.Content, m.Asked, m.Importance, m.Pinned = line, true, m.Kind.Importance(), c.pinned && n == 0
			}
			m.ID, m.Project, m.LastSeenAt = memory.NewID(memory.ScopeProject, name, m.Content), name, daemontest.Noon.Add(time.Duration(n)*time.Minute)
			n++
			index.Put(recall.Entry{Memory: m, Offered: true})
		}
		for i := range c.of {
			say(c.asked(i), fmt.Sprint("asked", i))
		}
		const correction = "service s0 listens on port 7777 from now on, no longer on 4000"
		if c.corrects {
			say(correction, "corrected")
		}
		for i := range 300 {
			say(c.said(i), fmt.Sprint("said", i))
		}
		_, first, _ := strings.Cut(c.asked(0), ": ")
		text := musttest.Get(a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: name, Session: "next", Source: "startup", TokenBudget: 2000}))(t).Text
		for i := range c.of {
			if _, line, _ := strings.Cut(c.asked(i), ": "); !strings.Contains(text, "] "+line+"\n") {
				t.Errorf("%s: the start lacks %q", name, line)
			}
		}
		if at := strings.Index(text, correction); c.corrects && (at < 0 || at > strings.Index(text, first)) {
			t.Errorf("%s: the start has not first what corrects %q:\n%s", name, first, text)
		}
	}
}
