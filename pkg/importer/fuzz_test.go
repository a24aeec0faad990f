package importer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// formats are names of transcripts in each client, which determine the format, with recorded ones. OpenCode's are in a
// database.
var formats = []struct{ name, recorded string }{
	{"projects/-home-dev-shop/1.jsonl", "import/projects/*/*.jsonl"},
	{"rollout-1.jsonl", "codex/sessions/*/*/*/*.jsonl"},
	{"chats/session-1.jsonl", "gemini/tmp/*/chats/*.jsonl"},
	{"chats/session-1.json", "gemini/tmp/*/chats/*.json"},
	{"session-state/1/events.jsonl", "copilot/session-state/*/*.jsonl"},
	{"opencode.db#ses_1", "opencode/*.jsonl"},
}

const openCodeLines = `{"session":"ses_1","directory":"/home/dev/shop"}
{"id":"1","role":"user","time":1795478400000,"part":{"type":"text","text":"Remember: the port is 6543."}}
{"id":"2","role":"assistant","time":1795478401000,"part":{"type":"tool","tool":"bash","callID":"c1","state":{"status":"completed","input":{"command":"make test"},"metadata":{"exit":2,"output":"no rule"}}}}
{"id":"3","role":"assistant","time":1795478402000,"part":{"type":"tool","tool":"edit","callID":"c2","state":{"status":"completed","input":{"filePath":"/home/dev/shop/a.go","oldString":"1","newString":"2"}}}}
{"id":"4","role":"assistant","time":9795478403000000,"part":{"type":"text","text":"Done."}}
`

// FuzzTranscript: for any transcript the events can be stored, and are the same when it is read again.
func FuzzTranscript(f *testing.F) {
	for i, format := range formats {
		f.Add(byte(i), []byte("{}\nnull\n[]\n"+openCodeLines))
		files, err := filepath.Glob(filepath.Join("..", "..", "testdata", format.recorded))
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(byte(i), text)
		}
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, format byte, text []byte) {
		file := filepath.Join(folder, fmt.Sprint(os.Getpid()), formats[int(format)%len(formats)].name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		one := importer.Transcript{File: file}
		if err := one.ReadHead(); err != nil { // the old Gemini's are whole or not at all
			return
		}
		events := eventsOfTranscript(t, one)
		for _, e := range events {
			written, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			read, err := spool.Decode(written)
			if diff := cmp.Diff(e, read); err != nil || diff != "" {
				t.Errorf("event after the spool (-want +got): %v\n%s", err, diff)
			}
		}
		if diff := cmp.Diff(events, eventsOfTranscript(t, one)); diff != "" {
			t.Errorf("events of the second reading (-first +second):\n%s", diff)
		}
	})
}

func eventsOfTranscript(t *testing.T, one importer.Transcript) (events []memory.Event) {
	t.Helper()
	reader := importer.Reader{
		Project: project.Project{Key: "/home/dev/shop", Name: "shop"},
		Wanted:  func(context.Context, string) (bool, error) { return true, nil },
	}
	_, err := reader.Read(t.Context(), one, 0, func(p importer.Progress) error {
		events = append(events, p.Events...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return events
}
