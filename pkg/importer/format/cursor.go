package format

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

// cursorFolder holds the transcripts of a project: SESSION.jsonl or SESSION/SESSION.jsonl, and those of its subagents in
// SESSION/subagents.
const cursorFolder = "agent-transcripts"

// isCursorTranscript tells a transcript of Cursor by its place: projects/PROJECT/agent-transcripts.
func isCursorTranscript(file string) bool {
	return filepath.Ext(file) == ".jsonl" && strings.Contains(filepath.ToSlash(file), "/"+cursorFolder+"/")
}

// cursorTranscript reads a transcript of Cursor. Its lines have neither ids nor times nor results, and some versions say in
// the text of a prompt when it was: without that, the file's own time counts.
type cursorTranscript struct {
	origin
	written time.Time // the file
	line    int
}

func newCursorTranscript(file string) Reader {
	c := &cursorTranscript{}
	c.session = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	folder := filepath.Dir(file)
	if filepath.Base(folder) == "subagents" {
		folder = filepath.Dir(folder)
		c.session, c.isAside = filepath.Base(folder), true
	}
	for filepath.Base(folder) != cursorFolder && filepath.Dir(folder) != folder {
		folder = filepath.Dir(folder)
	}
	c.dir = projectOfCursor(filepath.Dir(folder))
	if info, err := os.Stat(file); err == nil {
		c.written = info.ModTime().UTC()
	}
	return c
}

func (c *cursorTranscript) Entries(text []byte) ([]Entry, error) {
	c.line++
	var line struct {
		Role    string `json:"role"`
		Message struct {
			Content json.RawMessage `json:"content"`
		} `json:"message"`
	}
	if err := json.Unmarshal(text, &line); err != nil {
		return nil, err
	}
	said, at := Entry{ID: fmt.Sprint(c.line)}, time.Time{}
	if c.line == 1 {
		at = c.written
	}
	parts := blocks(line.Message.Content)
	switch line.Role {
	case "user":
		prompt, when := cursorPrompt(parts)
		if !when.IsZero() {
			at = when
		}
		said.Prompt = prompt
	case "assistant":
		said.Words = textOf(parts)
		for n, call := range parts {
			said.Uses = append(said.Uses, cursorEdits(fmt.Sprintf("%s.%d", said.ID, n), call)...)
		}
	default:
		return nil, nil
	}
	return c.message(at, said), nil
}

// cursorEdits are the edits of a call; that it went well is not told. The outcome of a command stands nowhere.
func cursorEdits(id string, call block) []Use {
	var input struct {
		Path, Contents, Patch, Input string
		Before                       string `json:"old_string"`
		After                        string `json:"new_string"`
	}
	if json.Unmarshal(call.Input, &input) != nil && json.Unmarshal(call.Input, &input.Patch) != nil {
		return nil
	}
	file := client.PatchedFile{Path: input.Path, IsNew: call.Name == "Write", Before: input.Before, After: input.After}
	switch {
	case call.Name == "ApplyPatch":
		all := edited(id, client.PatchedFiles(input.Patch+input.Input)...)
		for n := range all {
			all[n].ID = fmt.Sprintf("%s.%d", id, n)
		}
		return all
	case input.Path == "" || call.Name != "Write" && call.Name != "StrReplace":
		return nil
	case file.IsNew:
		file.After = input.Contents
	}
	one := edited(id, file)
	one[0].ID = id
	return one
}

// cursorQuery is the user's part of a message: around it stand files, rules and the state of the editor, in elements too.
var cursorQuery = regexp.MustCompile(`(?s)<user_query>\n?(.*?)\n?</user_query>`)

// cursorTime stands before the query.
var cursorTime = regexp.MustCompile(`\A\s*<timestamp>([^<]+)</timestamp>`)

// cursorPrompt is the user's prompt in a message, and when it was said, if that is told.
func cursorPrompt(parts []block) (prompt string, at time.Time) {
	var said []string
	for _, part := range parts {
		if told := cursorTime.FindStringSubmatch(part.Text); told != nil {
			at = cursorTimeOf(told[1])
		}
		queries := cursorQuery.FindAllStringSubmatch(part.Text, -1)
		if len(queries) == 0 && !strings.HasPrefix(strings.TrimSpace(part.Text), "<") {
			said = append(said, part.Text)
		}
		for _, one := range queries {
			said = append(said, one[1])
		}
	}
	return strings.TrimSpace(strings.Join(said, "\n")), at
}

// cursorClock parts the local time of cursorTime from its distance to UTC.
var cursorClock = regexp.MustCompile(`\A(.+) \(UTC([+-]\d+)(?::(\d+))?\)\z`)

// cursorTimeOf reads "Tuesday, Sep 8, 2026, 1:56 PM (UTC-7)" and "2026-09-08T20:56:00Z".
func cursorTimeOf(text string) time.Time {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at
	}
	parts := cursorClock.FindStringSubmatch(text)
	if parts == nil {
		return time.Time{}
	}
	away, err := time.ParseDuration(parts[2] + "h" + cmp.Or(parts[3], "0") + "m")
	at, clockErr := time.Parse("Monday, Jan 2, 2006, 3:04 PM", parts[1])
	if err != nil || clockErr != nil {
		return time.Time{}
	}
	return at.Add(-away).UTC()
}

// projectOfCursor is the directory that a folder of Cursor's is for. Its command line notes it; the name alone has lost
// which characters were no letters and digits, so that it is looked for among the directories that are there.
func projectOfCursor(folder string) string {
	var trusted struct {
		Path string `json:"workspacePath"`
	}
	note, err := os.ReadFile(filepath.Join(folder, ".workspace-trusted"))
	if err == nil && json.Unmarshal(note, &trusted) == nil && filepath.IsAbs(trusted.Path) {
		return filepath.Clean(trusted.Path)
	}
	if found := directoriesOf(string(filepath.Separator), filepath.Base(folder)); len(found) == 1 {
		return found[0]
	}
	return ""
}

// directoriesOf are the directories below a root whose path, without the root, has a slug.
func directoriesOf(root, slug string) (found []string) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	for _, one := range entries {
		rest, fits := strings.CutPrefix(slug, client.Slug(one.Name()))
		if !fits {
			continue
		}
		path := filepath.Join(root, one.Name())
		if rest == "" && one.IsDir() {
			found = append(found, path)
		}
		if below, isBelow := strings.CutPrefix(rest, "-"); isBelow && one.IsDir() {
			found = append(found, directoriesOf(path, below)...)
		}
	}
	return found
}
