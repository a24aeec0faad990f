package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/shell"
)

// Transcripts lists the transcripts below the client's projects folder.
func Transcripts(folder string) ([]Transcript, error) {
	var all []Transcript
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.Type().IsRegular() || !isTranscript(path) {
			return nil
		}
		t := Transcript{File: path}
		err = t.ReadHead()
		if errors.Is(err, fs.ErrNotExist) { // the client has just deleted it
			return nil
		}
		if err != nil {
			return err
		}
		all = append(all, t)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there are no transcripts in %s: %w", folder, memory.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("list the transcripts in %s: %w", folder, err)
	}
	return all, nil
}

// headLines is how many lines are read to learn whose transcript it is.
const headLines = 100

// ReadHead learns session, directory and size.
func (t *Transcript) ReadHead() error {
	f, size, err := t.open()
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	t.Size = size
	lines := lineReader{r: bufio.NewReader(f)}
	other := formatOf(t.File)
	for range headLines {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if line.tooLong {
			continue
		}
		if other != nil {
			_, _ = other.entries(line.text) // of a line that is no JSON nothing is known
			t.Session, t.Dir = other.start()
		} else {
			t.readStart(line.text)
		}
		if t.Session != "" && t.Dir != "" {
			return nil
		}
	}
	return nil
}

// readStart takes session and directory from the first line of Claude Code's that has each.
func (t *Transcript) readStart(line []byte) {
	var e entry
	if json.Unmarshal(line, &e) == nil {
		t.Session, t.Dir = cmp.Or(t.Session, e.SessionID), cmp.Or(t.Dir, e.CWD)
	}
}

// Progress is the position of a reader in a transcript.
type Progress struct {
	Offset int64 // after the last complete line that was read
	Events []memory.Event
}

// TranscriptReport counts the lines read.
type TranscriptReport struct {
	Lines   int
	Broken  int // lines that are no JSON object
	TooLong int // lines beyond the limit of one line
	// FirstBroken is the number of the first of them, from 1.
	FirstBroken int
	Offset      int64
}

// progressLines is after how many lines a reader tells where it stands.
const progressLines = 500

// Reader reads transcripts of sessions that Wanted lets through.
type Reader struct {
	Project project.Project
	// Wanted tells whether events of a session are to be made.
	Wanted func(ctx context.Context, session string) (bool, error)
}

// Read makes events of a transcript from an offset on, in the way that hooks would have
// made them, and hands them over piece by piece. The part before the offset is only read
// to understand the rest.
func (r Reader) Read(ctx context.Context, t Transcript, from int64, take func(Progress) error) (TranscriptReport, error) {
	f, _, err := t.open()
	if err != nil {
		return TranscriptReport{}, fmt.Errorf("read the transcript: %w", err)
	}
	defer func() { _ = f.Close() }()
	var report TranscriptReport
	c := conversation{project: r.Project, transcript: t, format: formatOf(t.File), uses: map[string]block{}, failing: map[string]bool{}}
	lines := lineReader{r: bufio.NewReaderSize(f, 64<<10)}
	var pending []memory.Event
	for {
		if err := ctx.Err(); err != nil {
			return report, fmt.Errorf("read %s: %w", t.File, err)
		}
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return report, fmt.Errorf("read %s: %w", t.File, err)
		}
		events, err := r.line(ctx, &c, line, from, &report)
		if err != nil {
			return report, err
		}
		pending = append(pending, events...)
		if report.Lines%progressLines == 0 {
			if err := take(Progress{report.Offset, pending}); err != nil {
				return report, err
			}
			pending = nil
		}
	}
	if report.Offset > from {
		end, err := r.only(ctx, c.end())
		if err != nil {
			return report, err
		}
		pending = append(pending, end...)
	}
	return report, take(Progress{report.Offset, pending})
}

func (r Reader) line(ctx context.Context, c *conversation, line line, from int64, report *TranscriptReport) ([]memory.Event, error) {
	var entries []entry
	var err error
	if !line.tooLong { // its beginning is megabytes of no JSON
		entries, err = c.entries(line.text)
	}
	if line.unfinished && (err != nil || line.tooLong) { // it is being written; next time it is complete
		return nil, nil
	}
	report.Lines++
	report.Offset = line.end
	switch {
	case line.tooLong:
		report.TooLong++
		return nil, nil
	case len(bytes.TrimSpace(line.text)) == 0:
		return nil, nil
	case err != nil:
		report.Broken++
		if report.FirstBroken == 0 {
			report.FirstBroken = report.Lines
		}
		return nil, nil
	}
	var events []memory.Event
	for _, e := range entries {
		events = append(events, c.entry(e)...)
	}
	if line.end <= from {
		return nil, nil
	}
	return r.only(ctx, events)
}

// entries are those of a line: of Claude Code's transcripts the line itself.
func (c *conversation) entries(line []byte) ([]entry, error) {
	if c.format != nil {
		return c.format.entries(line)
	}
	var e entry
	err := json.Unmarshal(line, &e)
	return []entry{e}, err
}

// only leaves the events of sessions that are wanted.
func (r Reader) only(ctx context.Context, events []memory.Event) ([]memory.Event, error) {
	var some []memory.Event
	for _, e := range events {
		wanted, err := r.Wanted(ctx, e.Session)
		if err != nil {
			return nil, err
		}
		if wanted {
			some = append(some, e)
		}
	}
	return some, nil
}

// conversation follows the entries of one transcript.
type conversation struct {
	project    project.Project
	transcript Transcript
	format     format           // nil for Claude Code's
	uses       map[string]block // the tools in use, by their id
	failing    map[string]bool  // the cores of the commands that failed last
	started    bool             // the session of the transcript is known to have started
	session    string           // of the last entry of the main conversation
	at         time.Time        // of the last entry
	trigger    string           // of the compaction that is under way
	words      memory.Event     // the assistant's last ones, until the turn ends
}

// transcriptSource is the source in the ids of events.
const transcriptSource = "transcript"

// lastYear is the last one that a time has in JSON.
const lastYear = 9999

func (c *conversation) entry(e entry) []memory.Event {
	if at := e.Timestamp.UTC(); !at.IsZero() && at.Year() > 0 && at.Year() <= lastYear {
		c.at = at
	}
	if e.SessionID == "" {
		e.SessionID = c.transcript.Session
	}
	if c.at.IsZero() || e.SessionID == "" || e.UUID == "" {
		return nil
	}
	var events []memory.Event
	switch e.Type {
	case "user":
		events = c.user(e)
	case "assistant":
		c.assistant(e)
	case "system":
		if e.CompactMetadata.Trigger != "" {
			c.trigger = e.CompactMetadata.Trigger
		}
	}
	if !e.IsSidechain && (e.Type == "user" || e.Type == "assistant") {
		events = append(c.start(e.SessionID), events...)
		c.session = e.SessionID
	}
	return events
}

// start is the event of a session whose first entry this is.
func (c *conversation) start(session string) []memory.Event {
	if c.started && c.session == session {
		return nil
	}
	c.started = true
	event, ok := c.event(session, memory.EventSessionStarted, session)
	if !ok {
		return nil
	}
	event.Source = transcriptSource
	return []memory.Event{event}
}

// end makes the events of the end of the file: the last turn and the session have
// ended. If the session goes on later, later events override that.
func (c *conversation) end() []memory.Event {
	if !c.started {
		return nil
	}
	events := c.turnEnded()
	if event, ok := c.event(c.session, memory.EventSessionEnded, c.at.Format(time.RFC3339Nano)); ok {
		event.Reason = "imported"
		events = append(events, event)
	}
	return events
}

func (c *conversation) turnEnded() []memory.Event {
	words := c.words
	c.words = memory.Event{}
	if words.ID == "" {
		return nil
	}
	return []memory.Event{words}
}

func (c *conversation) user(e entry) []memory.Event {
	all := blocks(e.Message.Content)
	if e.IsCompactSummary {
		return c.compacted(e, textOf(all))
	}
	var events []memory.Event
	for _, b := range all {
		if b.Type == "tool_result" {
			events = append(events, c.result(e, b)...)
		}
	}
	if e.IsSidechain || e.IsMeta {
		return events
	}
	prompt := describe.Prompt(typed(textOf(all)))
	if prompt == "" {
		return events
	}
	if event, ok := c.event(e.SessionID, memory.EventPrompt, e.UUID); ok {
		event.Prompt = prompt
		events = append(append(events, c.turnEnded()...), event)
	}
	return events
}

// customCommand is how the client writes down a slash command that becomes a prompt:
// one of a user, project or plugin. It writes those that it carries out itself
// (/clear, /model) with their name first.
var customCommand = regexp.MustCompile(`(?s)^<command-message>.*?</command-message>\s*<command-name>(.*?)</command-name>(?:\s*<command-args>(.*?)</command-args>)?`)

// typed is the text of a message that the user typed, as a hook is given it: a slash
// command with its arguments, without the text that the client writes in the user's
// place.
func typed(text string) string {
	text = strings.TrimSpace(text)
	if command := customCommand.FindStringSubmatch(text); command != nil {
		return strings.TrimSpace(command[1] + " " + strings.TrimSpace(command[2]))
	}
	for _, beginning := range []string{
		"<command-", "<local-command-", "<bash-", "<user-memory-input>", "[Request interrupted by user",
		"Caveat: The messages below were generated by the user while running local commands",
	} {
		if strings.HasPrefix(text, beginning) {
			return ""
		}
	}
	return text
}

// compacted is the summary of a compaction, without the client's introduction.
func (c *conversation) compacted(e entry, text string) []memory.Event {
	if strings.HasPrefix(text, "This session is being continued") {
		if _, summary, found := strings.Cut(text, "\n\n"); found {
			text = summary
		}
	}
	event, err := describe.Report(c.occurrence(e.SessionID, hookio.Input{}), memory.EventCompacted, c.trigger, describe.CompactionSummary(text))
	return c.identified(event, err, e.UUID)
}

func (c *conversation) assistant(e entry) {
	for _, b := range blocks(e.Message.Content) {
		if b.Type == "tool_use" && b.ID != "" {
			c.uses[b.ID] = b
		}
		if b.Type != "text" || e.IsSidechain || e.IsAPIError {
			continue
		}
		event, err := describe.Report(c.occurrence(e.SessionID, hookio.Input{}), memory.EventTurnEnded, "", b.Text)
		if found := c.identified(event, err, e.UUID); len(found) == 1 {
			c.words = found[0]
		}
	}
}

// result makes the events of a tool's result.
func (c *conversation) result(e entry, result block) []memory.Event {
	use, known := c.uses[result.ToolUseID]
	if !known {
		return nil
	}
	delete(c.uses, result.ToolUseID)
	if !slices.Contains([]string{"Write", "Edit", "MultiEdit", "NotebookEdit", "Bash", "Agent", "Task", "AskUserQuestion", "ExitPlanMode"}, use.Name) && !result.IsError && len(c.failing) == 0 {
		return nil // but while a command fails, any tool may mend it
	}
	output := textOf(blocks(result.Content))
	if result.IsError {
		return c.failed(e, use, output)
	}
	response := e.ToolUseResult
	if !bytes.HasPrefix(bytes.TrimSpace(response), []byte("{")) {
		response = plainResult(use.Name, output)
	}
	var events []memory.Event
	for i, one := range split(use) {
		input, err := toolInput(e, one, map[string]any{"tool_response": response})
		if err != nil {
			return nil
		}
		answers, err := describe.Answers(c.occurrence(e.SessionID, input))
		for n, answer := range answers {
			events = append(events, c.identified(answer, err, use.ID, fmt.Sprint(n))...)
		}
		event, err := describe.ToolUse(c.occurrence(e.SessionID, input), func(succeeded string) bool {
			was := len(c.failing) > 0
			for _, core := range shell.Cores(succeeded) {
				delete(c.failing, core)
			}
			return was
		})
		events = append(events, c.identified(event, err, use.ID, fmt.Sprint(i))...)
	}
	return events
}

// plainResult makes the structure of a result that the transcript has only as text.
func plainResult(tool, output string) json.RawMessage {
	result := map[string]any{"stdout": output}
	if tool == "Agent" || tool == "Task" {
		result = map[string]any{"status": "completed", "content": []map[string]string{{"type": "text", "text": output}}}
	}
	text, err := json.Marshal(result)
	if err != nil { // texts can always be written
		return json.RawMessage("{}")
	}
	return text
}

// failed is a command that failed, unless it was never run; a call that the user refused
// with words is told by these.
func (c *conversation) failed(e entry, use block, output string) []memory.Event {
	output = strings.TrimPrefix(output, "Error: ")
	if refused := c.refused(e, use, output); len(refused) > 0 {
		return refused
	}
	input, err := toolInput(e, use, map[string]any{"error": output})
	if err != nil {
		return nil
	}
	event, err := describe.ToolFailure(c.occurrence(e.SessionID, input))
	if command := input.ToolInput.String("command"); err == nil && event.ID != "" && !shell.LooksAround(command) {
		c.failing[shell.Core(command)] = true
	}
	return c.identified(event, err, use.ID)
}

func (c *conversation) refused(e entry, use block, output string) []memory.Event {
	input, err := toolInput(e, use, map[string]any{"error": output})
	if err != nil {
		return nil
	}
	event, err := describe.Refusal(c.occurrence(e.SessionID, input))
	return c.identified(event, err, use.ID)
}

// split makes single edits of a tool that old clients had for several at once.
func split(use block) []block {
	if use.Name != "MultiEdit" {
		return []block{use}
	}
	var input struct {
		File  string           `json:"file_path"`
		Edits []map[string]any `json:"edits"`
	}
	if json.Unmarshal(use.Input, &input) != nil {
		return nil
	}
	var uses []block
	for _, edit := range input.Edits {
		edit["file_path"] = input.File
		one := block{Name: "Edit"}
		one.Input, _ = json.Marshal(edit) // it was read from JSON
		uses = append(uses, one)
	}
	return uses
}

// toolInput is the input that a hook would have been given, within a hook's limits.
func toolInput(e entry, use block, more map[string]any) (hookio.Input, error) {
	fields := map[string]any{"session_id": e.SessionID, "cwd": e.CWD, "tool_name": use.Name, "tool_input": use.Input}
	for name, value := range more {
		fields[name] = value
	}
	document, err := json.Marshal(fields)
	if err != nil {
		return hookio.Input{}, err
	}
	return hookio.Decode(bytes.NewReader(document), hookio.Limits{})
}

// occurrence is the occurrence that a hook would have described.
func (c *conversation) occurrence(session string, input hookio.Input) describe.Occurrence {
	input.SessionID = session
	return describe.Occurrence{Input: input, Project: c.project, Client: clientOf(c.transcript.File), At: c.at}
}

func (c *conversation) event(session string, kind memory.EventKind, id string) (memory.Event, bool) {
	event, err := describe.New(c.occurrence(session, hookio.Input{}), kind)
	found := c.identified(event, err, id)
	if len(found) == 0 {
		return memory.Event{}, false
	}
	return found[0], true
}

// identified gives an event the id that it has each time it is imported.
func (c *conversation) identified(event memory.Event, err error, id ...string) []memory.Event {
	if err != nil || event.ID == "" {
		return nil
	}
	event.ID = memory.NewImportID(transcriptSource, append([]string{event.Session, string(event.Kind)}, id...)...)
	return []memory.Event{event}
}

// maxLine is the longest line that is read, in bytes. A hook's input was never
// seen to have more than 600 KB; lines with images have.
const maxLine = 16 << 20

type line struct {
	text       []byte
	end        int64 // the offset behind it
	tooLong    bool  // then text is its beginning
	unfinished bool  // no newline ends it
}

type lineReader struct {
	r      *bufio.Reader
	limit  int // of a line, in bytes; 0 means maxLine
	offset int64
}

// next reads a line. The error is io.EOF behind the last.
func (l *lineReader) next() (line, error) {
	var found line
	limit := cmp.Or(l.limit, maxLine)
	for {
		part, err := l.r.ReadSlice('\n')
		l.offset += int64(len(part))
		if len(found.text)+len(part) > limit {
			found.tooLong = true
		} else {
			found.text = append(found.text, part...)
		}
		found.end = l.offset
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			if len(found.text) == 0 && !found.tooLong {
				return found, io.EOF
			}
			found.unfinished = true
			return found, nil
		}
		return found, err
	}
}

// DirOfFolder is the directory that one of the client's project folders is for,
// as the transcripts in it tell; the name of the folder alone does not.
func DirOfFolder(folder string) string {
	files, err := filepath.Glob(filepath.Join(globEscape(folder), "*.jsonl"))
	if err != nil {
		return ""
	}
	other := ""
	for _, file := range files {
		t := Transcript{File: file}
		if t.ReadHead() != nil || t.Dir == "" {
			continue
		}
		if Slug(t.Dir) == filepath.Base(folder) {
			return t.Dir
		}
		other = t.Dir
	}
	return other
}

// maker makes the lines of a transcript that has none; nil for one that has.
func (t *Transcript) maker() func() ([]byte, error) {
	if t.Lines != nil {
		return t.Lines
	}
	for _, f := range formats {
		if f.text != nil && f.is(t.File) {
			return func() ([]byte, error) { return f.text(t.File) }
		}
	}
	return nil
}

// open opens a transcript as lines, each a JSON object, and tells their size in bytes.
func (t *Transcript) open() (io.ReadCloser, int64, error) {
	if lines := t.maker(); lines != nil {
		text, err := lines()
		return io.NopCloser(bytes.NewReader(text)), int64(len(text)), err
	}
	f, info, err := Open(t.File) // a pipe may have taken its place
	if err != nil {
		return nil, 0, err
	}
	return f, info.Size(), nil
}
