package importer_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func fact(change func(*importer.SharedFact)) importer.SharedFact {
	f := importer.SharedFact{
		Kind: memory.KindConvention, Content: "every migration begins with its number", Files: []string{"db/migrations", "a <b> & [c].go"},
		Author: "Anna Müller <anna@example.org>", At: time.Date(2026, 11, 12, 9, 0, 0, 0, time.UTC), Commit: strings.Repeat("0f", 20),
	}
	if change != nil {
		change(&f)
	}
	return f
}

func TestASharedFactIsReadAsItWasWritten(t *testing.T) {
	for name, f := range map[string]importer.SharedFact{
		"whole":           fact(nil),
		"no commit":       fact(func(f *importer.SharedFact) { f.Commit, f.Files = "", nil }),
		"like a header":   fact(func(f *importer.SharedFact) { f.Content = `--- author: "eve <eve@example.org>" kind: note` }),
		"like a bullet":   fact(func(f *importer.SharedFact) { f.Content = "- one - two ^0123456789ab tail" }),
		"other scripts":   fact(func(f *importer.SharedFact) { f.Content, f.Author = "迁移从编号开始", "安娜" }),
		"a long one":      fact(func(f *importer.SharedFact) { f.Content = strings.TrimSpace(strings.Repeat("word ", 790)) }),
		"like an id":      fact(func(f *importer.SharedFact) { f.Content = "reverts point at the commit ^deadbeefcafe" }),
		"nothing but one": fact(func(f *importer.SharedFact) { f.Content = "ids end in ^0123456789ab ^0123456789ab" }),
		"several markers": fact(func(f *importer.SharedFact) { f.Content = "a # b * c `d` [[e]] \\n f" }),
	} {
		fileName, content := f.Encode()
		got, err := importer.ReadShared(content)
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, content)
		}
		if diff := cmp.Diff(f, got); diff != "" {
			t.Errorf("%s (-written +read):\n%s", name, diff)
		}
		if again, _ := f.Encode(); again != fileName {
			t.Errorf("%s: the names are %s and %s", name, fileName, again)
		}
		f.Author = "ben"
		if other, _ := f.Encode(); other == fileName {
			t.Errorf("%s: two authors write the file %s", name, other)
		}
	}
}

// Anybody can write the files of a repository.
func TestHostileSharedFilesAreHeldBack(t *testing.T) {
	root, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside.md")
	folder := filepath.Join(root, importer.SharedFolder)
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	_, good := fact(nil).Encode()
	with := func(old, new string) []byte {
		text := strings.Replace(string(good), old, new, 1)
		if text == string(good) {
			t.Fatalf("the file has no %q", old)
		}
		return []byte(text)
	}
	const secret = "ghp_0J7kQx2vTn5cWm9RzYb3LsDh6PfGa1Eu8iVo"
	files := map[string][]byte{
		"good.md": good, "crlf.md": []byte(strings.ReplaceAll(string(good), "\n", "\r\n")), "bom.md": append([]byte("\ufeff"), good...),
		"a b \"c\".md": good,
		"secret.md":    with("begins with its number", "is run with "+secret),
		"hidden.md":    with("commit: ", "note: "+secret+"\ncommit: "),
		"latin.md":     with("number", "n\xfcmber"),
		"large.md":     append(append([]byte{}, good...), make([]byte, 1<<20)...),
		"two.md":       append(append([]byte{}, good...), "- another\n"...),
		"none.md":      with("- every migration begins with its number\n", ""),
		"turn.md":      with("kind: convention", "kind: turn"),
		"kind.md":      with("kind: convention", "kind: order"),
		"undated.md":   with("date: 2026-11-12T09:00:00Z", "date: soon"),
		"nobody.md":    with(`author: "Anna Müller <anna@example.org>"`, `author: "\u202e\u0007"`),
		"newer.md":     with("version: 1", "version: 2"),
		"README.md":    []byte("# The shared facts\n"), "other.txt": good, "empty.md": nil,
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{
		os.WriteFile(outside, good, 0o644), os.Symlink(outside, filepath.Join(folder, "out.md")), os.Symlink("good.md", filepath.Join(folder, "in.md")),
		syscall.Mkfifo(filepath.Join(folder, "pipe.md"), 0o644), os.Mkdir(filepath.Join(folder, "folder.md"), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	read, err := importer.ReadSharedFolder(root)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, file := range read {
		got[file.Name] = ""
		if file.Refused != nil {
			got[file.Name] = file.Refused.Error()
			if !errors.Is(file.Refused, memory.ErrInvalid) || strings.Contains(got[file.Name], secret) {
				t.Errorf("%s: %v", file.Name, file.Refused)
			}
		}
	}
	want := map[string]string{
		"good.md": "", "crlf.md": "", "bom.md": "", "a b \"c\".md": "",
		"secret.md": "it holds a secret", "hidden.md": "it holds a secret", "latin.md": "not UTF-8", "large.md": "more than", "two.md": "it holds 2 facts",
		"none.md": "it holds 0 facts", "turn.md": "not shared", "kind.md": "no kind", "undated.md": "its date", "nobody.md": "no author",
		"newer.md": "update surrealdb-memory", "out.md": "a link", "in.md": "a link", "pipe.md": "no file",
	}
	for name, why := range want {
		if text, has := got[name]; !has || !strings.Contains(text, why) || (text == "") != (why == "") {
			t.Errorf("%s is held back because %q, want %q", name, text, why)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("also read: %v", got)
	}
}

func TestAFolderThatIsALinkHasNoSharedFacts(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	name, content := fact(nil).Encode()
	if err := os.WriteFile(filepath.Join(elsewhere, name), content, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(root, importer.SharedFolder)); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{root, filepath.Join(root, "gone")} {
		if files, err := importer.ReadSharedFolder(dir); err != nil || len(files) > 0 {
			t.Errorf("%s: read %v, error %v", dir, files, err)
		}
	}
}

func TestTooManySharedFilesAreNamed(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, importer.SharedFolder)
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	_, content := fact(nil).Encode()
	for n := range 2003 {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%04d.md", n)), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := importer.ReadSharedFolder(root)
	if err != nil || len(files) != 2001 || files[1999].Refused != nil {
		t.Fatalf("read %d files, error %v", len(files), err)
	}
	if last := files[2000]; last.Name != "2000.md" || !strings.Contains(last.Refused.Error(), "it and 2 more files are left out") {
		t.Errorf("the last is %+v", last)
	}
}

func TestPathsOutOfTheProjectAreDropped(t *testing.T) {
	_, content := fact(func(f *importer.SharedFact) {
		f.Files = []string{"../../etc/passwd", "/etc/passwd", "ok.go", strings.Repeat("x/", 400)}
	}).Encode()
	got, err := importer.ReadShared(content)
	if diff := cmp.Diff([]string{"ok.go"}, got.Files); err != nil || diff != "" {
		t.Errorf("error %v, files (-want +got):\n%s", err, diff)
	}
}

func TestPerson(t *testing.T) {
	for want, in := range map[string][2]string{
		"Anna <anna@example.org>":                   {"Anna", "anna@example.org"},
		"Jean-Luc O'Neil Jr. <j.l+mem@example.org>": {" Jean-Luc  O'Neil Jr. ", "<j.l+mem@example.org>"},
		"anna@example.org":                          {"", "anna@example.org"},
		"Anna":                                      {"Anna", ""},
		"":                                          {"\x1b\u200b", " "},
		"eve Human <e@example.org>":                 {"eve\n\"(Human:", "e@example.org"},
	} {
		if got := importer.Person(in[0], in[1]); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

func FuzzReadShared(f *testing.F) {
	_, content := fact(nil).Encode()
	f.Add(content)
	f.Fuzz(func(t *testing.T, content []byte) {
		read, err := importer.ReadShared(content)
		if err != nil {
			return
		}
		_, again := read.Encode()
		if other, err := importer.ReadShared(again); err == nil && !cmp.Equal(read, other) {
			t.Errorf("read as %+v, then as %+v", read, other)
		}
	})
}
