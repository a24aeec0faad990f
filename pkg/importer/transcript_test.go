package importer_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
)

const (
	mainSession    = "00000000-0000-4000-8000-000000000001"
	compactSession = "00000000-0000-4000-8000-000000000059"
)

func projectOf(dir string) (project.Project, bool) {
	where, _ := project.Identify(dir)
	return where, false
}

func transcripts(t *testing.T, folder string) []importer.Transcript {
	t.Helper()
	return musttest.Get(importer.Transcripts(folder))(t)
}

// transcriptImport is an import into a store, which can be run several times.
type transcriptImport struct {
	daemon *testDaemon
	edit   func(*importer.TranscriptImport)
}

func (x transcriptImport) run(t *testing.T, folder string) (importer.SessionsReport, importer.Report, error) {
	t.Helper()
	all := transcripts(t, folder)
	w := writerTo(x.daemon)
	run := importer.TranscriptImport{Writer: w, Known: x.daemon.Intake.KnownSessions, ProjectOf: projectOf}
	if x.edit != nil {
		x.edit(&run)
	}
	result, err := run.Run(t.Context(), all)
	return result, run.Writer.Report(), err
}

func (x transcriptImport) ok(t *testing.T, folder string) (importer.SessionsReport, importer.Report) {
	t.Helper()
	result, report, err := x.run(t, folder)
	if err != nil {
		t.Fatal(err)
	}
	return result, report
}

func newTranscriptImport(t *testing.T) transcriptImport {
	t.Helper()
	return transcriptImport{daemon: newDaemon(t)}
}

// TestRecordedTranscriptsMakeTheEventsThatHooksWouldHaveMade has transcripts of the real clients.
func TestRecordedTranscriptsMakeTheEventsThatHooksWouldHaveMade(t *testing.T) {
	for folder, want := range map[string][]string{
		testdata("projects"): {
			"01 17:16:14 command_failed /home/dev/project exit 7 | Exit code 7", // of its subagent, whose folder comes first
			"01 17:16:11 session_started /home/dev/project transcript",
			"01 17:16:11 prompt /home/dev/project do the task",
			"01 17:16:12 file_changed /home/dev/project a.txt | one two",
			"01 17:16:13 command_failed /home/dev/project echo partial; echo boom >&2; exit 3 | Exit code 3 partial boom",
			"01 17:16:14 turn_ended /home/dev/project All done.",
			"01 17:16:15 session_ended /home/dev/project",
			"59 17:23:44 session_started /home/dev/project transcript",
			"59 17:23:44 prompt /home/dev/project do the task",
			"59 17:23:45 compacted /home/dev/project auto | Summary: The task was begun: filler was echoed, and nothing else was done.",
			"59 17:23:45 turn_ended /home/dev/project The rest is done, too.",
			"59 17:23:45 session_ended /home/dev/project",
		},
		newSessions: {
			"aa 23:51:46 session_started /home/dev/shop transcript",
			"aa 23:51:46 prompt /home/dev/shop Remember: the staging database listens on port 6543.",
			"aa 23:51:46 command_failed /home/dev/shop make deploy | Exit code 2 quota of the staging cluster is used up make: *** [Makefile:2: deploy] Error 2",
			"aa 23:51:46 file_changed /home/dev/shop rollout.sh | #!/bin/sh replicas=3",
			"aa 23:51:46 file_changed /home/dev/shop runbook.md | # How to deploy Ask Ann first.",
			"aa 23:51:47 command_succeeded /home/dev/shop make test",
			"aa 23:51:49 command_failed /home/dev/shop echo slow; sleep 1; exit 4 | Exit code 4 slow",
			"aa 23:51:49 compacted /home/dev/shop SUMMARY: the deployment failed because the quota is used up.",
			"aa 23:51:49 turn_ended /home/dev/shop The script is changed; the deployment failed.",
			"aa 23:51:50 prompt /home/dev/shop Where were we?",
			"aa 23:51:50 turn_ended /home/dev/shop The deployment failed.",
			"aa 23:51:50 session_ended /home/dev/shop",
			"aa 23:51:47 subagent_reported /home/dev/shop explorer | Find out who calls deploy() | deploy() is called by main.go alone.",
		},
		oldSessions: {
			"5e 00:12:03 session_started /home/dev/shop transcript",
			"5e 00:12:03 prompt /home/dev/shop Remember: the old database listens on port 5432.",
			"5e 00:12:04 turn_ended /home/dev/shop The script is changed; the deployment failed.",
			"5e 00:12:04 session_ended /home/dev/shop",
		},
	} {
		var got []string
		events, broken := eventsOf(t, folder)
		for _, e := range events {
			got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s %s %s", e.Session[34:], e.At.Format("15:04:05"), e.Kind, e.Project.Key, memory.OneLine(wordsOf(e)))))
		}
		if diff := cmp.Diff(want, got); diff != "" || broken > 0 {
			t.Errorf("%s: %d lines are broken, events (-want +got):\n%s", folder, broken, diff)
		}
	}
}

func TestImportingTranscriptsTwiceChangesNothing(t *testing.T) {
	x, folder := newTranscriptImport(t), testdata("projects")
	result, report := x.ok(t, folder)
	musttest.Same(t, importer.SessionsReport{Files: 3}, result, "first run (-want +got)")
	musttest.Same(t, importer.Report{Sessions: 2, Prompts: 2, Events: 12}, report, "first run (-want +got)")
	record, err := memory.RecordOf(t.Context(), x.daemon.Store, compactSession)
	session := record.Session
	if err != nil || session.State != memory.SessionCompleted || !strings.Contains(session.Summary.Text, "The task was begun") {
		t.Errorf("session %+v, %v", session, err)
	}
	before := stats(t, x.daemon)
	result, report = x.ok(t, folder)
	if result.Files != 3 || report.Added != 0 || stats(t, x.daemon) != before {
		t.Errorf("second run: %+v, %+v, %+v", result, report, stats(t, x.daemon))
	}
	x.edit = func(run *importer.TranscriptImport) { run.New = true }
	if result, report = x.ok(t, folder); result != (importer.SessionsReport{}) || report.Events != 0 {
		t.Errorf("new ones alone: %+v, %+v", result, report)
	}
}

// captured stores the first session of testdata like hooks do.
func captured(t *testing.T, a *testDaemon) {
	t.Helper()
	where := memory.Project{Key: "/home/dev/project", Name: "project", Root: "/home/dev/project"}
	at := time.Date(2026, 11, 20, 17, 16, 11, 500_000_000, time.UTC)
	events := []memory.Event{{Kind: memory.EventPrompt, Prompt: "do the task"}, {Kind: memory.EventFileChanged, Tool: "Write", File: "a.txt", After: "one\ntwo", Lines: 2}}
	for i := range events {
		events[i].ID, events[i].At, events[i].Session, events[i].Project = memory.NewEventID(at), at, mainSession, where
	}
	musttest.Do(t, a.Store.Ingest(t.Context(), ingest.Batch(events)))
}

func TestSessionsThatHooksCapturedAreLeftToThem(t *testing.T) {
	x := newTranscriptImport(t)
	captured(t, x.daemon)
	before := musttest.Get(memory.RecordOf(t.Context(), x.daemon.Store, mainSession))(t)
	result, report := x.ok(t, testdata("projects"))
	if result.Captured != 1 || result.Files != 1 || report.Sessions != 1 {
		t.Errorf("%+v, %+v", result, report)
	}
	after := musttest.Get(memory.RecordOf(t.Context(), x.daemon.Store, mainSession))(t)
	musttest.Same(t, before, after, "the session that hooks captured (-before +after)")
	const fork = "ffffffff-0000-4000-8000-000000000001" // its copied lines keep their session
	folder, text := t.TempDir(), ""
	for n, session := range []string{mainSession, fork} {
		text += strings.ReplaceAll(promptLine(n, 0), fmt.Sprintf(`"s%d"`, n), `"`+session+`"`)
	}
	writeFile(t, filepath.Join(folder, "p", fork+".jsonl"), text)
	x.ok(t, folder)
	if of, err := memory.RecordOf(t.Context(), x.daemon.Store, fork); err != nil || len(of.Prompts) != 1 || of.Prompts[0].Text != "prompt 0" {
		t.Errorf("the fork: %+v, %v", of.Prompts, err)
	}
	musttest.Same(t, before, musttest.Get(memory.RecordOf(t.Context(), x.daemon.Store, mainSession))(t), "the session whose lines a fork has (-before +after)")
	x.edit = func(run *importer.TranscriptImport) { run.Again = true }
	x.ok(t, testdata("projects"))
	again := musttest.Get(memory.RecordOf(t.Context(), x.daemon.Store, mainSession))(t)
	if len(again.Prompts) != 1 || len(activities(again)) != 3 { // the edit of the hooks, and two failures that they missed
		t.Errorf("again: %d prompts, %d activities", len(again.Prompts), len(activities(again)))
	}
}

// manySessions makes a folder of transcripts, each with so many prompts that the daemon gets them in several calls.
func manySessions(t *testing.T, sessions, prompts int) string {
	t.Helper()
	folder := t.TempDir()
	for n := range sessions {
		var text strings.Builder
		for i := range prompts {
			text.WriteString(promptLine(n, i))
		}
		writeFile(t, filepath.Join(folder, "p", fmt.Sprintf("s%d.jsonl", n)), text.String())
	}
	return folder
}

func promptLine(n, i int) string {
	at := time.Date(2026, 1, 1+n, 0, 0, i, 0, time.UTC)
	return fmt.Sprintf(`{"type":"user","uuid":"u%d-%d","sessionId":"s%d","cwd":"/home/dev/many","timestamp":%q,"message":{"role":"user","content":"prompt %d"}}`+"\n", n, i, n, at.Format(time.RFC3339), i)
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	musttest.Do(t, os.MkdirAll(filepath.Dir(file), 0o700))
	musttest.Do(t, os.WriteFile(file, []byte(text), 0o600))
}

func TestAnInterruptedImportGoesOnWhereItWas(t *testing.T) {
	const sessions, each = 2, daemonapi.MaxImport * 6 / 5 // prompts
	x, folder := newTranscriptImport(t), manySessions(t, sessions, each)
	boom, sent := errors.New("boom"), 0
	x.edit = func(run *importer.TranscriptImport) {
		send := run.Writer.Send
		run.Writer.Send = func(ctx context.Context, events []memory.Event) (daemonapi.ImportResult, error) {
			if sent += len(events); sent > 2*daemonapi.MaxImport {
				return daemonapi.ImportResult{}, boom
			}
			return send(ctx, events)
		}
	}
	if _, _, err := x.run(t, folder); !errors.Is(err, boom) {
		t.Fatalf("first run: %v", err)
	}
	if s := stats(t, x.daemon); s.Prompts <= each || s.Prompts >= sessions*each {
		t.Fatalf("interrupted after %d prompts", s.Prompts)
	}
	x.edit = nil
	result, report := x.ok(t, folder)
	if result.Files != sessions || report.Prompts != sessions*each { // all are read again, because any of them may be stored in part
		t.Errorf("second run: %+v with %d prompts", result, report.Prompts)
	}
	whole := newTranscriptImport(t)
	whole.ok(t, folder)
	musttest.Same(t, stats(t, whole.daemon), stats(t, x.daemon), "rows (-in one go +interrupted)")
}

// TestShortTranscriptsAreSentTogether: a call and a query for each of 20,000 sessions made up most of an import's time.
func TestShortTranscriptsAreSentTogether(t *testing.T) {
	const sessions = 150 // of a prompt, a start and an end each
	x, folder := newTranscriptImport(t), manySessions(t, sessions, 1)
	calls, questions := 0, 0
	x.edit = func(run *importer.TranscriptImport) {
		send, known := run.Writer.Send, run.Known
		run.Writer.Send = func(ctx context.Context, events []memory.Event) (daemonapi.ImportResult, error) {
			calls++
			return send(ctx, events)
		}
		run.Known = func(ctx context.Context, ids []string) ([]memory.Session, error) {
			questions++
			return known(ctx, ids)
		}
	}
	result, report := x.ok(t, folder)
	if result.Files != sessions || report.Prompts != sessions {
		t.Fatalf("%+v, %+v", result, report)
	}
	if calls != 2 || questions != 1 {
		t.Errorf("%d calls with %d events, and %d questions, want 2 and 1", calls, report.Events, questions)
	}
}

func TestATranscriptThatGrewIsReadAgain(t *testing.T) {
	x, folder := newTranscriptImport(t), manySessions(t, 1, 3)
	x.ok(t, folder)
	file := filepath.Join(folder, "p", "s0.jsonl")
	grow := func(i int) {
		t.Helper()
		data := musttest.Get(os.ReadFile(file))(t)
		writeFile(t, file, string(data)+promptLine(0, i))
	}
	grow(60)
	result, report := x.ok(t, folder)
	if result.Files != 1 || report.Prompts != 4 || stats(t, x.daemon).Prompts != 4 {
		t.Errorf("%+v, %+v, %+v", result, report, stats(t, x.daemon))
	}
	// From here on hooks capture the session.
	where := memory.Project{Key: "/home/dev/many", Name: "many", Root: "/home/dev/many"}
	at := time.Date(2026, 1, 1, 0, 2, 0, 0, time.UTC)
	resumed := memory.Event{ID: memory.NewEventID(at), At: at, Kind: memory.EventSessionStarted, Session: "s0", Project: where, Source: "resume"}
	hooked := memory.Event{ID: memory.NewEventID(at), At: at, Kind: memory.EventPrompt, Session: "s0", Project: where, Prompt: "prompt 120"}
	musttest.Do(t, x.daemon.Store.Ingest(t.Context(), ingest.Batch([]memory.Event{resumed, hooked})))
	grow(120)
	result, _ = x.ok(t, folder)
	if result.Captured != 1 || stats(t, x.daemon).Prompts != 5 {
		t.Errorf("%+v, %+v", result, stats(t, x.daemon))
	}
}

// TestATranscriptThatWasWrittenAnewIsReadFromItsBeginning: longer than before, as long, with another beginning or another end.
func TestATranscriptThatWasWrittenAnewIsReadFromItsBeginning(t *testing.T) {
	for name, lines := range map[string][]int{"longer": {200, 201, 202, 203, 204}, "as long": {210, 211, 212}, "another beginning": {220, 1, 2, 3, 4}, "another end": {0, 1, 230, 231}} {
		t.Run(name, func(t *testing.T) {
			x, folder := newTranscriptImport(t), manySessions(t, 1, 3)
			x.ok(t, folder)
			text := ""
			for _, line := range lines {
				text += promptLine(0, line)
			}
			writeFile(t, filepath.Join(folder, "p", "s0.jsonl"), text)
			if result, report := x.ok(t, folder); result.Files != 1 || report.Prompts != len(lines) {
				t.Errorf("%+v, %+v; want %d prompts", result, report, len(lines))
			}
		})
	}
}

func TestBrokenLinesAreCountedAndPassedOver(t *testing.T) {
	x, folder := newTranscriptImport(t), t.TempDir()
	file := filepath.Join(folder, "p", "s0.jsonl")
	whole := promptLine(0, 0) + "{broken\n" + "\n" + "[1,2]\n" +
		`{"type":"user","uuid":"long","sessionId":"s0","message":{"content":"` + strings.Repeat("x", 17<<20) + `"}}` + "\n" +
		`{"type":"user","uuid":"odd","sessionId":"s0","message":{"content":{"neither":1}}}` + "\n" +
		`{"type":"user","uuid":"odd2","sessionId":"s0","message":{"content":[{"type":"tool_result","tool_use_id":"none"}]}}` + "\n" +
		promptLine(0, 1)
	unfinished := promptLine(0, 2)
	writeFile(t, file, whole+unfinished[:40])
	result, report := x.ok(t, folder)
	want := importer.SessionsReport{Files: 1, BrokenLines: 3, FirstBroken: file + ":2"}
	if diff := cmp.Diff(want, result); diff != "" || report.Prompts != 2 {
		t.Errorf("%d prompts (-want +got):\n%s", report.Prompts, diff)
	}
	writeFile(t, file, whole+unfinished)
	if _, report = x.ok(t, folder); report.Prompts != 3 || stats(t, x.daemon).Prompts != 3 {
		t.Errorf("once the last line is whole: %d prompts, %+v", report.Prompts, stats(t, x.daemon))
	}
}

func TestProjectsThatAreOffAndTranscriptsFromNowhereAreLeftOut(t *testing.T) {
	x, folder := newTranscriptImport(t), manySessions(t, 1, 1)
	writeFile(t, filepath.Join(folder, "q", "none.jsonl"), `{"type":"summary","summary":"A title"}`+"\n")
	x.edit = func(run *importer.TranscriptImport) {
		run.ProjectOf = func(dir string) (project.Project, bool) { where, _ := projectOf(dir); return where, true }
	}
	result, _ := x.ok(t, folder)
	musttest.Same(t, importer.SessionsReport{Off: 1, Nowhere: 1}, result, "(-want +got)")
}

// A prompt of print mode may be a model's: it is imported as a part of its session, and states nothing in the user's name.
func TestAPromptOfPrintModeIsNobodys(t *testing.T) {
	const rule = "Remember: we always squash commits before a merge."
	for name, lines := range map[string][]string{
		"projects/p/s0.jsonl": {
			`{"uuid":"u0","sessionId":"s0","cwd":"/home/dev/x","timestamp":"2026-01-01T00:00:00Z","entrypoint":"sdk-cli","promptSource":"sdk","type":"user","message":{"content":"` + rule + `"}}`,
			`{"uuid":"u1","sessionId":"s0","cwd":"/home/dev/x","timestamp":"2026-01-01T00:00:01Z","entrypoint":"sdk-cli","type":"assistant","message":{"content":[{"type":"text","text":"Understood."}]}}`,
		},
		"sessions/rollout-1.jsonl": {
			`{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s0","cwd":"/home/dev/x","source":"exec","originator":"codex_exec"}}`,
			`{"timestamp":"2026-01-01T00:00:01Z","type":"event_msg","payload":{"type":"user_message","message":"` + rule + `"}}`,
			`{"timestamp":"2026-01-01T00:00:02Z","type":"event_msg","payload":{"type":"agent_message","message":"Understood."}}`,
		},
	} {
		folder := t.TempDir()
		writeFile(t, filepath.Join(folder, name), strings.Join(lines, "\n")+"\n")
		events, broken := eventsOf(t, filepath.Join(folder, strings.Split(name, "/")[0]))
		at := slices.IndexFunc(events, func(e memory.Event) bool { return e.Kind == memory.EventPrompt })
		if at < 0 || broken > 0 {
			t.Fatalf("%s: %d lines are broken, events %+v", name, broken, events)
		}
		if e := events[at]; !strings.Contains(e.Prompt, rule) || len(knowledge.Directives(e.Prompt, "")) > 0 || len(knowledge.LastingStatements(e.Prompt, "")) > 0 {
			t.Errorf("%s: the prompt %q is taken for the user's", name, e.Prompt)
		}
	}
}

// TestLinesOfOthersAreNoPrompts: what a line of a transcript says beside its text decides whose the text is, in each place of a prompt.
func TestLinesOfOthersAreNoPrompts(t *testing.T) {
	const rule = "We always squash commits before a merge."
	places := map[string][]string{
		"a message":          {`"type":"user","message":{"content":"` + rule + `"}`},
		"a message in parts": {`"type":"user","message":{"content":[{"type":"text","text":"` + rule + `"}]}`},
		"queued":             {`"type":"attachment","attachment":{"type":"queued_command","commandMode":"prompt","prompt":"` + rule + `"}`},
	}
	for more, isUsers := range map[string]bool{
		"": true, `,"entrypoint":"cli","promptSource":"typed","userType":"external","origin":{"kind":"human"}`: true,
		`,"entrypoint":"sdk-ts"`: false, `,"entrypoint":"sdk-py","promptSource":"sdk"`: false, `,"entrypoint":"mcp"`: false, `,"entrypoint":"other"`: false,
		`,"origin":{"kind":"peer"}`: false, `,"origin":{"kind":"channel","server":"telegram"}`: false, `,"origin":{"kind":"task-notification"}`: false, `,"origin":{"kind":"new"}`: false,
		`,"promptSource":"system"`: false, `,"isMeta":true`: false, `,"wakeupSource":"loop_wakeup"`: false, `,"hostInitiator":"scheduled-task"`: false, `,"hostInitiator":"user"`: true,
		`,"foreignWord":{"by":"peer"}`: false, `,"textNotTyped":true`: false, `,"noPersonArrived":true`: false, `,"agentName":"tester"`: false, `,"teamName":"release"`: false, `,"agentName":"tester","teamName":"release"`: false, `,"agentName":"team-lead","teamName":"release"`: true, `,"userType":"robot"`: false,
	} {
		for place, lines := range places {
			folder, text := t.TempDir(), ""
			for i, line := range append(lines, `"type":"assistant","message":{"content":[{"type":"text","text":"Understood."}]}`) {
				text += fmt.Sprintf(`{"uuid":"u%d","sessionId":"s0","cwd":"/home/dev/x","timestamp":"2026-01-01T00:00:0%dZ"%s,%s}`, i, i, more, line) + "\n"
			}
			writeFile(t, filepath.Join(folder, "p", "s0.jsonl"), text)
			events, broken := eventsOf(t, folder)
			got := slices.ContainsFunc(events, func(e memory.Event) bool { return e.Prompt == rule })
			if got != isUsers || broken > 0 {
				t.Errorf("%s with %s: a prompt is %v, %d lines are broken\n%s", place, more, got, broken, text)
			}
		}
	}
}

// TestARuleBesideDataIsKept, and the data is not.
func TestARuleBesideDataIsKept(t *testing.T) {
	data, rule := strings.Repeat("iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB", 300), "Always use snake_case for JSON field names."
	for name, prompt := range map[string]string{"behind it": "data:image/png;base64," + data + `\n` + rule, "before it": rule + `\n` + data, "in its line": rule + " The picture: " + data} {
		x, folder := newTranscriptImport(t), t.TempDir()
		writeFile(t, filepath.Join(folder, "p", "s0.jsonl"), `{"type":"user","uuid":"u1","sessionId":"s0","cwd":"/home/dev/x","timestamp":"2026-01-01T00:00:01Z","message":{"content":"`+prompt+`"}}`+"\n")
		x.ok(t, folder)
		record, err := memory.RecordOf(t.Context(), x.daemon.Store, "s0")
		if err != nil || len(record.Prompts) != 1 || strings.Contains(record.Prompts[0].Text, "iVBOR") {
			t.Fatalf("%s: %+v, %v", name, record.Prompts, err)
		}
		if len(record.Seen) != 1 || record.Seen[0].Memory.Content != rule {
			t.Errorf("%s: kept %+v", name, record.Seen)
		}
	}
}

// activities are what was done in a session.
func activities(record memory.SessionRecord) []memory.SessionEvent {
	return slices.DeleteFunc(slices.Clone(record.SessionEvents), func(e memory.SessionEvent) bool { return !e.IsActivity() })
}

// A session that the user takes to another project is in that from there on, as by hooks; the assistant's shell takes it nowhere.
func TestASessionThatGoesToAnotherProject(t *testing.T) {
	folder, n := t.TempDir(), 0
	line := func(dir, role, content string) string {
		n++
		return fmt.Sprintf(`{"type":%q,"uuid":"u%d","sessionId":"s1","cwd":%q,"timestamp":"2026-01-01T00:00:%02dZ","message":{"role":%q,"content":%s}}`, role, n, dir, n, role, content) + "\n"
	}
	said := func(dir, text string) string { return line(dir, "user", strconv.Quote(text)) }
	ran := func(dir, command string) string {
		return line(dir, "assistant", fmt.Sprintf(`[{"type":"tool_use","id":"t","name":"Bash","input":{"command":%q}}]`, command)) +
			line(dir, "user", `[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"Exit code 2"}]`)
	}
	writeFile(t, filepath.Join(folder, "p", "s1.jsonl"), said("/w/one", "one")+ran("/w/one/sub", "make a")+said("/w/one/sub", "one below")+ran("/w/two", "make b")+said("/w/one", "one again")+
		said("/w/two", "two")+ran("/w/one", "make c")+said("/w/off", "off")+ran("/w/off", "make d")+said("/w/two/x", "two below")+said("/w/one", "one at last"))
	at := func(dir string) (project.Project, bool) {
		key := "/" + strings.Join(strings.Split(dir, "/")[1:3], "/")
		return project.Project{Key: key, Name: filepath.Base(key), Root: key, Dir: dir}, key == "/w/off"
	}
	var got []string
	for _, one := range transcripts(t, folder) {
		events, _, err := one.Events(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Prompt+e.Command != "" {
				got = append(got, e.Project.Key+" "+e.Prompt+e.Command)
			}
		}
	}
	want := []string{"/w/one one", "/w/one make a", "/w/one one below", "/w/one make b", "/w/one one again", "/w/two two", "/w/two make c", "/w/two two below", "/w/one one at last"}
	musttest.Same(t, want, got, "events (-want +got)")
}

// TestTheIDOfARefusalIsThatOfTheSessionsEnd: a session that hooks have captured and a transcript make one event. testdata/transcripts has
// the forms of the answers in dialogs.
func TestTheIDOfARefusalIsThatOfTheSessionsEnd(t *testing.T) {
	folder, at := t.TempDir(), time.Date(2026, 1, 1, 0, 0, 2, 0, time.UTC)
	const refused = `The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nuse the second API`
	writeFile(t, filepath.Join(folder, "p", "s0.jsonl"),
		`{"type":"assistant","uuid":"a1","sessionId":"s0","cwd":"/home/dev/x","timestamp":"2026-01-01T00:00:01Z","message":{"content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/home/dev/x/ship.go"}}]}}`+"\n"+
			`{"type":"user","uuid":"r1","sessionId":"s0","timestamp":"2026-01-01T00:00:02Z","toolUseResult":"Error","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"`+refused+`"},{"type":"text","text":"and run make check"}]}}`+"\n")
	line, checked := describe.Line{ID: "r1", At: at}, 0
	events, _ := eventsOf(t, folder)
	for _, e := range events {
		want := map[memory.EventKind]string{memory.EventRefused: line.Identified(e, "t1").ID, memory.EventPrompt: line.Identified(e).ID}[e.Kind]
		if want == "" {
			continue
		}
		if checked++; e.ID != want {
			t.Errorf("the id of %s is %s, want %s", e.Kind, e.ID, want)
		}
	}
	musttest.Same(t, 2, checked, "how many of the two events were made: %+v", events)
}

// codexSessions are transcripts of the real Codex: of version 0.169.0 and of 0.98.0.
var (
	codexSessions = filepath.Join("..", "..", "testdata", "codex", "sessions")
	newSessions   = filepath.Join(codexSessions, "2026", "11", "23")
	oldSessions   = filepath.Join(codexSessions, "2026", "11", "24")
)

// eventsOf are the events of the transcripts in a folder, and how many lines were no JSON.
func eventsOf(t *testing.T, folder string) (events []memory.Event, broken int) {
	t.Helper()
	for _, one := range transcripts(t, folder) {
		where, _ := projectOf(one.Dir)
		some, report, err := one.Events(t.Context(), func(string) (project.Project, bool) { return where, false })
		events = append(events, some...)
		musttest.Is(t, nil, err, "%s: %+v", one.File, report)
		broken += report.Broken
	}
	for _, e := range events {
		musttest.Do(t, e.Validate())
	}
	return events, broken
}
