package importer_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// TestShapesOfTranscripts has the forms that transcripts were seen in, most of them in the reports of other programs'
// users: each archive has transcripts of invented sessions and the events that come of them.
func TestShapesOfTranscripts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "transcripts", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d archives, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive := musttest.Get(txtar.ParseFile(file))(t)
			folder, want := t.TempDir(), &archive.Files[len(archive.Files)-1]
			for _, one := range archive.Files[:len(archive.Files)-1] {
				writeFile(t, filepath.Join(folder, filepath.FromSlash(one.Name)), string(one.Data))
			}
			got := sent(t, folder)
			if *daemontest.Update {
				want.Data = []byte(got)
				musttest.Do(t, os.WriteFile(file, txtar.Format(archive), 0o600))
			}
			if diff := cmp.Diff(string(want.Data), got); want.Name != "want" || diff != "" {
				t.Errorf("%s (-want +got):\n%s", want.Name, diff)
			}
		})
	}
}

// TestATranscriptReadsTheSameInEachEncoding has the same transcripts as Windows and editors write them.
func TestATranscriptReadsTheSameInEachEncoding(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "transcripts", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d archives, %v", len(files), err)
	}
	unmarked := func(order binary.AppendByteOrder) func(string) string {
		return func(text string) string { return inUTF16(order, text)[2:] }
	}
	marked := func(order binary.AppendByteOrder) func(string) string {
		return func(text string) string { return inUTF16(order, text) }
	}
	encodings := map[string]func(string) string{
		"UTF-8": func(text string) string { return text }, "UTF-8 with a mark": func(text string) string { return "\ufeff" + text },
		"UTF-16LE": unmarked(binary.LittleEndian), "UTF-16LE with a mark": marked(binary.LittleEndian),
		"UTF-16BE": unmarked(binary.BigEndian), "UTF-16BE with a mark": marked(binary.BigEndian),
	}
	for _, file := range files {
		archive := musttest.Get(txtar.ParseFile(file))(t)
		want := string(archive.Files[len(archive.Files)-1].Data)
		for encoding, encode := range encodings {
			for _, newline := range []string{"\n", "\r\n", "\r"} {
				folder := t.TempDir()
				for _, one := range archive.Files[:len(archive.Files)-1] {
					writeFile(t, filepath.Join(folder, filepath.FromSlash(one.Name)), encode(strings.ReplaceAll(string(one.Data), "\n", newline)))
				}
				musttest.Same(t, want, sent(t, folder), "%s in %s with %q (-want +got)", filepath.Base(file), encoding, newline)
			}
		}
	}
}

// sent returns the events that an import of a folder sends, and its report.
func sent(t *testing.T, folder string) string {
	t.Helper()
	var text strings.Builder
	run := importer.TranscriptImport{ProjectOf: projectOf, Writer: &importer.Writer{
		Send: func(_ context.Context, events []memory.Event) (daemonapi.ImportResult, error) {
			for _, e := range events {
				musttest.Do(t, e.Validate())
				session := e.Session[max(0, len(e.Session)-3):]
				if e.TakenBack {
					e.Kind = "taken back:"
				}
				_, _ = fmt.Fprintln(&text, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", session, e.Kind, e.Project.Key, memory.OneLine(wordsOf(e)))))
			}
			return daemonapi.ImportResult{}, nil
		},
	}}
	result := musttest.Get(run.Run(t.Context(), transcripts(t, folder)))(t)
	report := musttest.Get(json.Marshal(result))(t)
	return text.String() + strings.ReplaceAll(string(report), folder, "") + "\n"
}

// wordsOf returns all texts that an event has, in one order.
func wordsOf(e memory.Event) string {
	all := []string{e.Source, e.Prompt, e.File, e.Command, e.Error, e.Text, e.After, e.LastWords}
	return strings.Join(slices.DeleteFunc(all, func(one string) bool { return one == "" }), " | ")
}
