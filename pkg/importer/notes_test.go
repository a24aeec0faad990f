package importer_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func noteMemory(content string, day int) memory.Memory {
	at := time.Date(2026, 11, day, 9, 0, 0, 0, time.UTC)
	return memory.Memory{
		ID: memory.NewID(memory.ScopeProject, "p", content), Project: "p", Scope: memory.ScopeProject, Kind: memory.KindConvention,
		Content: content, Importance: 0.8, CreatedAt: at, LastSeenAt: at, Source: memory.SourceUser,
	}
}

func TestANoteFileReadsWell(t *testing.T) {
	pinned := noteMemory("every file in `db/migrations/` begins with its number", 21)
	pinned.Pinned, pinned.Files, pinned.Tags, pinned.Session = true, []string{"db/migrations"}, []string{"data base"}, "0f/9"
	file := importer.NoteFile{
		Project: memory.Project{Key: `C:\work "shop"`, Name: "shop"}, Kind: memory.KindConvention,
		Memories: []memory.Memory{pinned, noteMemory("[ ] the token is sk_live_"+strings.Repeat("4eC39HqLyjWDarjtT1zdp7dc", 1), 22)},
	}
	if n := file.Redact(); n != 1 {
		t.Errorf("redacted %d, want the secret", n)
	}
	text := string(file.Encode())
	lines := strings.Split(text, "\n")
	want := []string{
		"---", "format: surrealdb-memory-notes", "version: 1", `project: "C:\\work \"shop\""`, `name: "shop"`, "kind: convention", lines[6], "---",
		"# shop: convention", "",
		"After a change, `memory import markdown FOLDER` takes another text as a correction and a new bullet as a new memory.", "",
		lines[12], "    - 2026-11-22, importance 0.8, source user",
		"- every file in `db/migrations/` begins with its number ^" + memory.ShortID(pinned.ID),
		"    - 2026-11-21, importance 0.8, pinned, source user, [[session#^s-0f-9|session]], [[db/migrations]], #data-base", "",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if strings.Contains(text, "4eC39") || !strings.HasPrefix(lines[12], "- [ ] the token is ") {
		t.Errorf("the secret: %q", lines[12])
	}
	notes, err := importer.ReadNotes([]byte(strings.ReplaceAll(text, "\n", "\r\n")))
	if err != nil || notes.Project.Key != file.Project.Key || notes.Project.Name != "shop" || notes.Kind != memory.KindConvention || notes.Edited {
		t.Errorf("read %+v, %v", notes, err)
	}
}

func TestWhatPeopleWriteIntoANoteFileIsRead(t *testing.T) {
	m := noteMemory("we squash before merging", 21)
	text := string(importer.NoteFile{Project: memory.Project{Key: "p", Name: "p"}, Kind: memory.KindConvention, Memories: []memory.Memory{m}}.Encode())
	text = strings.Replace(text, "we squash before", "we never squash before", 1) +
		"\nSome words of mine.\n\n* a bullet\n  that goes on\n    - and a detail of it\n  more of the detail\n- ^" + strings.Repeat("a", 12) + "\n- \n"
	notes, err := importer.ReadNotes([]byte(text))
	if err != nil || !notes.Edited {
		t.Fatalf("edited %t, %v", notes.Edited, err)
	}
	for _, c := range []struct{ cut, missing string }{
		{"", ""}, {"never ", "we never squash before merging"}, {"Some words of mine.", "Some words of mine."}, {"  that goes on", "a bullet that goes on"},
	} {
		other, err := importer.ReadNotes([]byte(strings.Replace(text, c.cut, "", 1)))
		if got := notes.Missing(other); err != nil || got != c.missing {
			t.Errorf("without %q: missing %q, %v, want %q", c.cut, got, err, c.missing)
		}
	}
	want := []importer.Note{{memory.ShortID(m.ID), "we never squash before merging", 13}, {"", "a bullet that goes on", 18}, {"", "^" + strings.Repeat("a", 12), 22}}
	if diff := cmp.Diff(want, notes.Notes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOtherFilesAreNoNotes(t *testing.T) {
	for name, text := range map[string]string{
		"no header":         "# Mine\n- a bullet\n",
		"another's header":  "---\ntags: x\n---\n- a bullet\n",
		"an unended header": "---\nformat: surrealdb-memory-notes\n",
		"empty":             "",
	} {
		if _, err := importer.ReadNotes([]byte(text)); !errors.Is(err, importer.ErrNoNotes) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, header := range map[string]string{"a newer version": "version: 2\nkind: note", "an unknown kind": "version: 1\nkind: riddle", "a record's kind": "version: 1\nkind: edit"} {
		if _, err := importer.ReadNotes([]byte("---\nformat: surrealdb-memory-notes\n" + header + "\n---\n")); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Any contents come back as they are, whatever they look like.
func TestNoteFilesComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		contents := rapid.SliceOfNDistinct(rapid.StringMatching(`[-*#>\[\]^a-f0-9 .\x60\n"'|]{1,60}`), 0, 6, memory.Normalise).Draw(t, "contents")
		var memories []memory.Memory
		want := map[string]string{}
		for i, content := range contents {
			content = memory.OneLine(content)
			if content == "" {
				continue
			}
			m := noteMemory(content, 1+i)
			memories = append(memories, m)
			want[memory.ShortID(m.ID)] = content
		}
		where := memory.Project{Key: rapid.StringN(1, 20, -1).Draw(t, "key"), Name: "n"}
		notes, err := importer.ReadNotes(importer.NoteFile{Project: where, Kind: memory.KindTodo, Memories: memories}.Encode())
		if err != nil || notes.Edited {
			t.Fatalf("edited %t, %v", notes.Edited, err)
		}
		got := map[string]string{}
		for _, n := range notes.Notes {
			got[n.ID] = n.Text
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func FuzzReadNotes(f *testing.F) {
	f.Add(importer.NoteFile{Kind: memory.KindNote, Memories: []memory.Memory{noteMemory("a", 1)}}.Encode())
	f.Add([]byte("---\nformat: surrealdb-memory-notes\nversion: 1\nkind: note\n---\n- a\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		notes, err := importer.ReadNotes(content)
		for _, n := range notes.Notes {
			if err != nil || n.Line < 1 || strings.Contains(n.Text, "\n") {
				t.Errorf("%+v, %v", n, err)
			}
		}
	})
}

func TestFoldersOfProjectsHaveNamesOfTheirOwn(t *testing.T) {
	for _, c := range []struct {
		name   string
		number int
		want   string
	}{
		{"shop", 1, "shop"}, {"shop", 2, "shop-2"}, {"../../etc", 1, "etc"}, {"user", 1, "project-user"}, {"..", 1, "project-"}, {`a\My Shop`, 1, "my-shop"},
	} {
		if got := importer.NoteFolder(memory.Project{Key: "k", Name: c.name}, c.number); got != c.want {
			t.Errorf("%q: %q, want %q", c.name, got, c.want)
		}
	}
	if got := importer.NoteFolder(memory.Project{}, 1); got != "user" {
		t.Errorf("the user's: %q", got)
	}
}
