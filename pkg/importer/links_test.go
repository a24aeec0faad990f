package importer_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func link(t *testing.T, to, from string) {
	t.Helper()
	musttest.Do(t, os.MkdirAll(filepath.Dir(from), 0o700))
	musttest.Do(t, os.Symlink(to, from))
}

// TestALinkedFolderIsRead, and links below it are named, wherever they lead.
func TestALinkedFolderIsRead(t *testing.T) {
	disk, home := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(disk, "shop", "1.jsonl"), promptLine(1, 1))
	writeFile(t, filepath.Join(home, "real", "own", "3.jsonl"), promptLine(3, 1))
	folder := filepath.Join(home, "projects")
	link(t, filepath.Join(home, "real"), folder)
	link(t, filepath.Join(disk, "shop"), filepath.Join(folder, "-shop"))
	link(t, filepath.Join(disk, "shop", "1.jsonl"), filepath.Join(folder, "own", "2.jsonl"))
	link(t, home, filepath.Join(folder, "own", "round"))
	link(t, filepath.Join(disk, "gone"), filepath.Join(folder, "-gone"))
	link(t, filepath.Join(disk, "notes.txt"), filepath.Join(folder, "notes.txt"))
	var got []string
	for _, one := range transcripts(t, folder) {
		got = append(got, fmt.Sprintf("%s %s %v", strings.TrimPrefix(one.File, folder+"/"), one.Session, one.Unread))
	}
	const isLink = "it is a link, which is not followed"
	want := []string{"-gone  " + isLink, "-shop  " + isLink, "own/2.jsonl  " + isLink, "own/3.jsonl s3 <nil>", "own/round  " + isLink}
	musttest.Same(t, want, got, "transcripts (-want +got)")
	result, report := newTranscriptImport(t).ok(t, folder)
	if report.Prompts != 1 || result.Unread != 4 || !strings.HasPrefix(result.FirstUnread, filepath.Join(folder, "-gone")+": ") {
		t.Errorf("%+v, %+v", result, report)
	}
}

// inUTF16 is a text with a byte order mark.
func inUTF16(order binary.AppendByteOrder, text string) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		out = order.AppendUint16(out, unit)
	}
	return string(out)
}

func TestTextsInOtherEncodings(t *testing.T) {
	for name, c := range map[string]struct {
		data, want string
		err        error
	}{
		"UTF-8":               {"# Rules\n- grün\n", "# Rules\n- grün\n", nil},
		"two marks":           {"\ufeff\ufeff- tabs\n", "- tabs\n", nil},
		"little-endian":       {inUTF16(binary.LittleEndian, "- grün 😀\n"), "- grün 😀\n", nil},
		"big-endian":          {inUTF16(binary.BigEndian, "- grün 😀\n"), "- grün 😀\n", nil},
		"without a mark":      {inUTF16(binary.LittleEndian, "- tabs\n")[2:], "- tabs\n", nil},
		"big without a mark":  {inUTF16(binary.BigEndian, "- tabs\n")[2:], "- tabs\n", nil},
		"Latin-1":             {"- gr\xfcn\n", "", importer.ErrEncoding},
		"UTF-32":              {"\xff\xfe\x00\x00-\x00\x00\x00", "", importer.ErrEncoding},
		"NULs in the middle":  {"- tabs \x00\n", "", importer.ErrEncoding},
		"half a unit at last": {inUTF16(binary.LittleEndian, "- tabs") + "x", "- tabs\ufffd", nil},
		"nothing":             {"", "", nil},
	} {
		file := filepath.Join(t.TempDir(), "CLAUDE.md")
		writeFile(t, file, c.data)
		if text, err := importer.Text([]byte(c.data)); text != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		if _, err := importer.ClaudeMD(file, alpha, false); !errors.Is(err, c.err) || err != nil && !strings.Contains(err.Error(), file) {
			t.Errorf("%s: a CLAUDE.md: %v", name, err)
		}
	}
}

func TestHeadersOfAutoMemory(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"spaces.md":      "---  \nname: n\ntype: feedback\n---\t\nUse pnpm.\n",
		"dots.md":        "---\r\nname: n\r\n...\r\nUse make.\r\n",
		"rules.md":       "---\n\n---\n- Use go.\n",
		"open.md":        "---\nname: n\n\nUse npm.\n",
		"team/nested.md": "---\nname: n\n---\nUse bun.\n",
		"team/CAPS.MD":   "Use deno.\n",
		"team/x.txt":     "Use nothing.\n",
		".git/config.md": "Use git.\n",
		"latin.md":       "Use gr\xfcn.\n",
		"MEMORY.md":      "- [n](team/nested.md) — in a folder\n- [s](team/CAPS.MD#top) — with a heading\n- [x](team/x.txt) — no Markdown\n",
	} {
		writeFile(t, filepath.Join(folder, filepath.FromSlash(name)), text)
	}
	link(t, filepath.Join(folder, "team"), filepath.Join(folder, "team", "round"))
	events, unread, err := importer.AutoMemory(folder, alpha)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"[x](team/x.txt) — no Markdown", "Use make.", "name: n", "Use npm.", "Use go.", "Use pnpm.", "Use deno.", "Use bun."}
	musttest.Same(t, want, contents(memoriesOf(events)), "memories (-want +got)")
	if len(unread) != 2 || !strings.HasPrefix(unread[0], filepath.Join(folder, "latin.md")+": ") || !strings.HasPrefix(unread[1], filepath.Join(folder, "team", "round")+": ") {
		t.Errorf("unread %q", unread)
	}
}

// TestACopyOfAHistoryCountsOnce, also if it is imported later on: clients copy the lines of a session that is resumed or forked.
func TestACopyOfAHistoryCountsOnce(t *testing.T) {
	x, folder := newTranscriptImport(t), t.TempDir()
	history := func(session string) string {
		var text strings.Builder
		for n, line := range []string{
			`"type":"user","message":{"content":"we never log request bodies in production"}`,
			`"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make deploy"}}]}`,
			`"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"Error: Exit code 2\nthe quota is used up"}]}`,
			`"type":"assistant","message":{"content":[{"type":"text","text":"The deployment failed because the quota is used up."}]}`,
		} {
			fmt.Fprintf(&text, `{"uuid":"aaaaaaaa-0000-4000-8000-%012d","sessionId":%q,"cwd":"/home/dev/shop","timestamp":"2026-11-20T10:00:%02dZ",%s}`+"\n", n, session, n, line)
		}
		return text.String()
	}
	own := func(session string) string {
		return fmt.Sprintf(`{"uuid":"%s-0000-4000-8000-000000000000","sessionId":%q,"cwd":"/home/dev/shop","timestamp":"2026-11-20T11:00:00Z","type":"user","message":{"content":"and now?"}}`+"\n", session, session)
	}
	for _, session := range []string{"bbbbbbbb", "cccccccc", "dddddddd"} { // one import each
		writeFile(t, filepath.Join(folder, "p", session+".jsonl"), history(session)+own(session))
		x.ok(t, folder)
	}
	kept := 0
	for _, session := range []string{"bbbbbbbb", "cccccccc", "dddddddd"} {
		record := musttest.Get(memory.RecordOf(t.Context(), x.daemon.Store, session))(t)
		known := len(record.Seen) + len(activities(record))
		kept += known
		if first := session == "bbbbbbbb"; len(record.Prompts) != map[bool]int{true: 2, false: 1}[first] || !first && known > 0 {
			t.Errorf("%s has %d prompts, %d sightings and %d activities", session, len(record.Prompts), len(record.Seen), len(activities(record)))
		}
	}
	if kept != 2 { // the rule and the failure
		t.Errorf("%d sightings and activities", kept)
	}
}
