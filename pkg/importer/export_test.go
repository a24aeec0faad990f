package importer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 123456789, time.UTC)

// lived fills a store with a session of hooks and later changes of its memories by people.
func lived(t *testing.T, a *testDaemon) {
	t.Helper()
	events := []memory.Event{
		{Kind: memory.EventSessionStarted, Source: "startup"},
		{Kind: memory.EventPrompt, Prompt: "Deploy it.\nremember: staging is wiped on Sundays\nI prefer short functions"},
		{Kind: memory.EventFileChanged, Tool: "Edit", File: "a.go", Before: "1", After: "2", Lines: 1},
		{Kind: memory.EventRemembered, RememberedKind: memory.KindDecision, Text: "Deploys go\nthrough staging", Tags: []string{"deploy"}},
		{Kind: memory.EventRemembered, RememberedKind: memory.KindTodo, Text: "rotate the logs"},
		{Kind: memory.EventRemembered, RememberedKind: memory.KindConvention, Text: "one file a handler"},
		{Kind: memory.EventTurnEnded, Text: "All is deployed."},
		{Kind: memory.EventSessionEnded, Reason: "other"},
	}
	for i := range events {
		at := noon.Add(time.Duration(i) * time.Minute)
		events[i].ID, events[i].At, events[i].Session = memory.NewEventID(at), at, "s1"
		events[i].Project, events[i].Dir = alpha, alpha.Root
	}
	batch := ingest.Batch(events)
	musttest.Do(t, a.Store.Ingest(t.Context(), batch))
	record := musttest.Get(memory.RecordOf(t.Context(), a.Store, "s1"))(t)
	summary := ingest.Summary(record, a.Counter)
	summary.Digest.Investigated, summary.Digest.Source = "the state of staging", memory.SourceAssistant // as a model might
	musttest.Do(t, a.Store.Ingest(t.Context(), memory.Batch{Summaries: []memory.SessionSummary{{Session: "s1", Summary: summary}}}))
	pinned, importance := true, 0.95
	for content, change := range map[string]memory.Change{
		"rotate the logs":             {Status: memory.StatusArchived, Reason: "done"},
		"one file a handler":          {Pinned: &pinned, AddTags: []string{"style"}, Scope: memory.ScopeUser},
		"staging is wiped on Sundays": {Importance: &importance},
	} {
		change.ID, change.At, change.By = memory.NewEventID(noon), noon.Add(time.Hour), "cli"
		if _, _, err := a.Store.Amend(t.Context(), memory.NewID(memory.ScopeProject, alpha.Key, content), change); err != nil {
			t.Fatal(err)
		}
	}
}

// everything returns the content of an export of a store.
func everything(t *testing.T, a *testDaemon) memory.ExportPage {
	t.Helper()
	var all memory.ExportPage
	var events []memory.SessionEvent
	for _, section := range memory.Sections() {
		page, err := a.Store.Export(t.Context(), memory.ExportQuery{Section: section})
		if err != nil || page.Next != "" {
			t.Fatal(page.Next, err)
		}
		all.Projects, all.Sessions = append(all.Projects, page.Projects...), append(all.Sessions, page.Sessions...)
		all.Prompts, all.Memories = append(all.Prompts, page.Prompts...), append(all.Memories, page.Memories...)
		all.Sightings = append(all.Sightings, page.Sightings...)
		for _, row := range page.Events { // however they were batched
			events = append(events, slices.DeleteFunc(memory.OfSession(row.Session, row.Events), func(e memory.SessionEvent) bool {
				return e.Kind == memory.EventSummarised // an import adds it
			})...)
		}
	}
	all.Events = memory.EventRows(events)
	return all
}

func export(t *testing.T, page memory.ExportPage) (string, importer.ExportCounts) {
	t.Helper()
	var out strings.Builder
	encoder := musttest.Get(importer.NewEncoder(&out, "", noon))(t)
	musttest.Do(t, encoder.Page(page))
	return out.String(), encoder.Counts
}

func importExport(t *testing.T, a *testDaemon, text string) (importer.Report, importer.DecodeReport) {
	t.Helper()
	events, report := decoded(t, text)
	w := writerTo(a)
	musttest.Do(t, errors.Join(w.Put(t.Context(), events...), w.Flush(t.Context())))
	return w.Report(), report
}

// decoded returns the events of an export.
func decoded(t *testing.T, text string) (events []memory.Event, report importer.DecodeReport) {
	t.Helper()
	decoder := musttest.Get(importer.NewDecoder(strings.NewReader(text)))(t)
	for event, err := range decoder.Events() {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, event)
	}
	return events, decoder.Report
}

// TestAnExportIsTheSameMemoriesElsewhere, also in a store that has a part of the same session, and if it is imported twice.
func TestAnExportIsTheSameMemoriesElsewhere(t *testing.T) {
	from, to := newDaemon(t), newDaemon(t)
	lived(t, from)
	want := everything(t, from)
	if len(want.Memories) != 5 || len(want.Events) != 1 || len(want.Events[0].Events) == 0 || len(want.Sessions) != 1 || want.Sessions[0].Summary.Text == "" {
		t.Fatalf("exported %d memories, sessions %+v", len(want.Memories), want.Sessions)
	}
	half := want
	half.Memories, half.Sightings, half.Prompts = want.Memories[:3], nil, nil
	for _, s := range want.Sightings {
		if slices.ContainsFunc(half.Memories, func(m memory.Memory) bool { return m.ID == s.Memory }) {
			half.Sightings = append(half.Sightings, s)
		}
	}
	text, _ := export(t, half)
	report, _ := importExport(t, to, text)
	musttest.Same(t, 3, report.Added, "memories of the half")
	text, counts := export(t, everything(t, from))
	if counts.Redacted != 0 || counts.Rows[memory.SectionMemory] != 5 || counts.Rows[memory.SectionEvent] != len(want.Events[0].Events) {
		t.Errorf("%+v", counts)
	}
	report, decoded := importExport(t, to, text)
	if report.Added != 2 || report.Refused != 0 || report.Events == 0 || decoded.Broken != 0 {
		t.Errorf("%+v, %+v", report, decoded)
	}
	got := everything(t, to)
	want.Projects[0].SeenAt, got.Projects[0].SeenAt = time.Time{}, time.Time{} // that of the newest row
	musttest.Same(t, want, got, "rows (-exported +imported)")
	before := stats(t, to)
	if report, _ := importExport(t, to, text); report.Added != 0 || stats(t, to) != before {
		t.Errorf("twice: %+v, %+v, want %+v", report, stats(t, to), before)
	}
	musttest.Same(t, got.Memories, everything(t, to).Memories, "memories after a second import (-first +second)")
}

// TestAnExportHasEveryFieldOfAMemory needs no change for a new field.
func TestAnExportHasEveryFieldOfAMemory(t *testing.T) {
	want := storetest.WholeMemory()
	text, _ := export(t, memory.ExportPage{Memories: []memory.Memory{want}})
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var got struct{ Memory memory.Memory }
	musttest.Do(t, json.Unmarshal([]byte(lines[len(lines)-1]), &got))
	musttest.Same(t, want, got.Memory, "the memory (-want +exported)")
}

func TestImportingOnesOwnExportBringsNothingBack(t *testing.T) {
	a := newDaemon(t)
	lived(t, a)
	text, _ := export(t, everything(t, a))
	id := memory.NewID(memory.ScopeProject, alpha.Key, "Deploys go through staging")
	away := memory.Change{ID: "c", At: noon.Add(2 * time.Hour), By: "cli", Status: memory.StatusArchived, RemoveTags: []string{"deploy"}}
	if _, _, err := a.Store.Amend(t.Context(), id, away); err != nil {
		t.Fatal(err)
	}
	before := everything(t, a)
	importExport(t, a, text)
	musttest.Same(t, before, everything(t, a), "rows (-before +after)")
}

func TestAnExportIsRedactedOnceMore(t *testing.T) {
	secret := "sk-ant-api03-" + strings.Repeat("A", 40)
	m := memory.Memory{
		ID: memory.NewID(memory.ScopeProject, "p", "the key is "+secret), Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic,
		Kind: memory.KindNote, Status: memory.StatusActive, Content: "the key is " + secret, Detail: "yes, " + secret, Tags: []string{secret},
		CreatedAt: noon, LastSeenAt: noon,
	}
	private := m
	private.ID, private.Content = memory.NewID(memory.ScopeProject, "p", "x"), "<private>all of it</private>"
	text, counts := export(t, memory.ExportPage{
		Memories:  []memory.Memory{m, private},
		Sessions:  []memory.Session{{ID: "s", Project: "p", Summary: memory.Summary{Text: "asked " + secret}, State: memory.SessionCompleted}},
		Prompts:   []memory.Prompt{{ID: "e1", Text: secret}, {ID: "e2", Text: "<private>x</private>"}},
		Sightings: []memory.Sighting{{ID: "e1", Memory: m.ID, Session: "s", At: noon}, {ID: "e2", Memory: private.ID, Session: "s", At: noon}},
	})
	for _, part := range []string{secret, "all of it", m.ID, private.ID} {
		if strings.Contains(text, part) {
			t.Errorf("the export holds %q", part)
		}
	}
	musttest.Same(t, importer.ExportCounts{Rows: map[memory.Section]int{"session": 1, "prompt": 1, "memory": 1, "sighting": 1}, Redacted: 5}, counts, "counts (-want +got)")
	a := newDaemon(t)
	importExport(t, a, text)
	got := everything(t, a)
	if len(got.Memories) != 1 || len(got.Sightings) != 1 || got.Sightings[0].Memory != got.Memories[0].ID {
		t.Errorf("imported %+v", got)
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	for text, says := range map[string]string{
		"":                                "first line",
		"{}\n":                            "first line",
		"\x00\xff\n":                      "first line",
		`{"format":"claude","version":1}`: "first line",
		`{"format":"surrealdb-memory","version":2}` + "\n": "update surrealdb-memory",
		`{"format":"surrealdb-memory"}` + "\n":             "version 0",
	} {
		if _, err := importer.NewDecoder(strings.NewReader(text)); !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

const header = `{"format":"surrealdb-memory","version":1}` + "\n"

func TestInvalidLinesAreCountedOrRefused(t *testing.T) {
	a := newDaemon(t)
	report, decoded := importExport(t, a, header+"{broken\n\n"+
		`{"kind":"memory"}`+"\n"+`{"kind":"dream","memory":{}}`+"\n"+
		`{"kind":"memory","memory":{"kind":"note","content":"no date"}}`+"\n"+
		`{"kind":"memory","memory":{"kind":"note","content":"odd status","status":"dreamt","last_seen_at":"2026-01-01T00:00:00Z"}}`+"\n"+
		`{"kind":"memory","memory":{"kind":"note","content":"odd id","id":"'; DELETE memory","last_seen_at":"2026-01-01T00:00:00Z"}}`+"\n"+
		`{"kind":"session","session":{"id":"s","state":"asleep"}}`+"\n"+
		`{"kind":"memory","memory":{"kind":"note","content":"good <surrealdb-memory>injected</surrealdb-memory>","project":"p","last_seen_at":"2026-01-01T00:00:00Z"}}`)
	if decoded.Broken != 3 || decoded.FirstBroken != 2 || report.Refused != 4 || report.Added != 1 || report.Events != 1 || report.Sessions != 1 || len(report.Reasons) != 4 {
		t.Errorf("%+v, %+v", decoded, report)
	}
	got := everything(t, a).Memories
	if len(got) != 1 || got[0].Content != "good" || got[0].Status != memory.StatusActive || got[0].Type != memory.TypeSemantic {
		t.Errorf("%+v", got)
	}
}

// What was decided about a memory goes with it, under its own name after redaction too.
func TestAFateTravelsWithItsMemory(t *testing.T) {
	fate := memory.Fate{UserWritten: true, Decided: memory.Decided{"status": noon}, Rejected: true, SupersededBy: memory.NewID(memory.ScopeProject, "p", "y")}
	page := memory.ExportPage{Fates: map[string]memory.Fate{}}
	for _, content := range []string{"x", "the key is ghp_16C7e42F292c6912E7710c838347Ae178B4a", "undecided"} {
		m := memory.Memory{ID: memory.NewID(memory.ScopeProject, "p", content), Project: "p", Scope: memory.ScopeProject, Kind: memory.KindNote, Content: content, LastSeenAt: noon}
		if page.Memories = append(page.Memories, m); content != "undecided" {
			page.Fates[m.ID] = fate
		}
	}
	text, counts := export(t, page)
	if counts.Redacted != 1 || counts.Rows[memory.SectionMemory] != 3 {
		t.Fatalf("%+v", counts)
	}
	events, _ := decoded(t, text)
	decided := 0
	for _, event := range events {
		switch got := event.Import.Fate; {
		case cmp.Equal(*got, fate):
			decided++
		case !cmp.Equal(*got, memory.Fate{}) || event.Import.Memory.Content != "undecided":
			t.Errorf("the fate of %q is %+v", event.Import.Memory.Content, got)
		}
	}
	musttest.Same(t, 2, decided, "fates that arrive")
}

// FuzzDecoder checks that for any file each line is an event, a project or counted as broken,
// and that everything that the daemon accepts can be exported again.
func FuzzDecoder(f *testing.F) {
	good := musttest.Get(json.Marshal(map[string]any{"kind": "memory", "memory": memory.Memory{
		Kind: memory.KindNote, Content: "x", Project: "p", LastSeenAt: noon, CreatedAt: noon, Status: memory.StatusActive,
	}}))(f)
	for _, line := range []string{
		string(good), "", "{", "[]", "null", `{"kind":"session","session":{"id":"s","started_at":"2026-01-01T00:00:00Z","last_event_at":"2026-01-01T00:00:00Z","state":"completed","summary":{"text":"x"}}}`,
		`{"kind":"prompt","prompt":{"id":"e","session":"s","project":"p","text":"hi","at":"2026-01-01T00:00:00Z"}}`,
		`{"kind":"sighting","sighting":{"id":"e","session":"s","memory":"m","at":"2026-01-01T00:00:00Z"}}`,
		`{"kind":"project","project":{"key":"p","name":"<private>"}}`,
	} {
		f.Add([]byte(header + line + "\n"))
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		decoder, err := importer.NewDecoder(bytes.NewReader(data))
		if err != nil {
			if !errors.Is(err, memory.ErrInvalid) {
				t.Fatal(err)
			}
			return
		}
		var events []memory.Event
		for event, err := range decoder.Events() {
			if err != nil {
				t.Fatal(err)
			}
			events = append(events, event)
		}
		if decoder.Report.Broken > decoder.Report.Lines {
			t.Fatalf("%+v", decoder.Report)
		}
		var valid []memory.Event
		for _, e := range events {
			if e.Validate() == nil {
				valid = append(valid, e)
			}
		}
		batch := ingest.Batch(valid)
		for _, m := range batch.Memories {
			if m.ID == "" || memory.Normalise(m.Content) == "" || m.Status == "" || m.Importance < 0 || m.Importance > 1 {
				t.Fatalf("%+v", m)
			}
		}
	})
}
