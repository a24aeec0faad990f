package importer_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// formats are names of transcripts in each client, which determine the format, with recorded ones.
var formats = []struct{ name, recorded string }{{"projects/-home-dev-shop/1.jsonl", "import/projects/*/*.jsonl"}, {"rollout-1.jsonl", "codex/sessions/*/*/*/*.jsonl"}}

// FuzzTranscript: for any transcript the events can be stored, and are the same when it is read again.
func FuzzTranscript(f *testing.F) {
	for i, format := range formats {
		f.Add(byte(i), []byte("{}\nnull\n[]\n"))
		files := musttest.Get(filepath.Glob(filepath.Join("..", "..", "testdata", format.recorded)))(f)
		for _, file := range files {
			text := musttest.Get(os.ReadFile(file))(f)
			f.Add(byte(i), text)
		}
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, format byte, text []byte) {
		file := filepath.Join(folder, fmt.Sprint(os.Getpid()), formats[int(format)%len(formats)].name)
		musttest.Do(t, os.MkdirAll(filepath.Dir(file), 0o700))
		musttest.Do(t, os.WriteFile(file, text, 0o600))
		one := importer.Transcript{File: file}
		musttest.Do(t, one.ReadHead())
		events := eventsOfTranscript(t, one)
		for _, e := range events {
			written := musttest.Get(json.Marshal(e))(t)
			read, err := spool.Decode(written)
			if diff := cmp.Diff(e, read); err != nil || diff != "" {
				t.Errorf("event after the spool (-want +got): %v\n%s", err, diff)
			}
		}
		musttest.Same(t, events, eventsOfTranscript(t, one), "events of the second reading (-first +second)")
	})
}

func eventsOfTranscript(t *testing.T, one importer.Transcript) (events []memory.Event) {
	t.Helper()
	some, _, err := one.Events(t.Context(), func(string) (project.Project, bool) {
		return project.Project{Key: "/home/dev/shop", Name: "shop"}, false
	})
	events = append(events, some...)
	if err != nil {
		t.Fatal(err)
	}
	return events
}
