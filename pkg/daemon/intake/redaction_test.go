package intake_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
)

// hidden stands for a secret that only the second check recognises.
const hidden = "zebra-crossing"

func secondLook(text string) string { return strings.ReplaceAll(text, hidden, "[redacted:test]") }

// everywhere is an event that has the secret in each field that text can be in.
func everywhere(n int, kind memory.EventKind) memory.Event {
	e := daemontest.Event(n, kind)
	text := "x " + hidden
	e.Source, e.Reason, e.Prompt, e.Before, e.After, e.Command, e.Output, e.Error = text, text, text, text, text, text, text, text
	e.Text, e.File, e.Dir, e.Project.Name, e.Project.Root = text, "/p/"+hidden, "/p/"+hidden, text, "/p/"+hidden
	e.Files, e.Tags, e.RememberedKind = []string{hidden}, []string{hidden}, memory.KindNote
	if kind == memory.EventImported {
		e.Import = &memory.Import{Prompt: &memory.Prompt{ID: "p1", Session: "s1", Project: "p", Text: text, At: daemontest.Noon}}
	}
	return e
}

// TestNoFieldOfAnEventKeepsASecret plants a secret in a text of each of many events, in each text once, whoever may have made the event.
// Events that Validate refuses are not ingested.
func TestNoFieldOfAnEventKeepsASecret(t *testing.T) {
	a, store, _ := daemontest.New(t)
	a.Journal = journal.New(filepath.Join(t.TempDir(), "journal"), func() time.Time { return daemontest.Noon })
	a.Rebuild()
	defer func() { _ = a.Journal.Close() }()
	var stored []memory.Batch
	store.Fail = func(b memory.Batch) error { stored = append(stored, b); return nil }
	var events []memory.Event
	secrets := map[string]string{} // by the place
	for _, kind := range []memory.EventKind{memory.EventRemembered, memory.EventImported} {
		paths := texts(reflect.ValueOf(full(0, kind)).Elem(), "Event")
		if len(paths) < 45 {
			t.Fatalf("%d texts in an event: %v", len(paths), paths)
		}
		for _, path := range paths {
			e, secret := full(len(secrets), kind), fmt.Sprintf("ghp_%sa1B%03d", strings.Repeat("a1B2c3", 5), len(secrets))
			if set(reflect.ValueOf(e).Elem(), "Event", path, secret); e.Validate() == nil {
				events, secrets[path+" of "+string(kind)] = append(events, *e), secret
			}
		}
	}
	daemontest.Ingested(t, a, events...)
	inStore, inJournal := inJSON(t, stored), filesBelow(t, a.Journal.Dir())
	if len(secrets) < 90 || !strings.Contains(inStore, "[redacted:github-token]") {
		t.Fatalf("%d secrets, and the store has %s", len(secrets), inStore)
	}
	for place, secret := range secrets {
		if strings.Contains(inStore, secret) || strings.Contains(inJournal, secret) {
			t.Errorf("the secret in %s is in the store or in the journal", place)
		}
	}
}

// full is the n-th of some events, with something in all fields.
func full(n int, kind memory.EventKind) *memory.Event {
	e := everywhere(n, memory.EventRemembered)
	fill(reflect.ValueOf(&e).Elem(), fmt.Sprint("x", n))
	if e.Kind, e.At = kind, daemontest.Noon; kind == memory.EventImported {
		m := e.Import.Memory
		m.ID, m.Kind, m.Scope, m.Type, m.Status, m.Source = "", memory.KindNote, memory.ScopeProject, memory.TypeSemantic, memory.StatusActive, memory.SourceImport
		m.LastSeenAt, m.Importance = daemontest.Noon, 0.5
		e.Import.Session.State = memory.SessionActive
	}
	return &e
}

// fill gives each text, list and pointer below v something, a text itself.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(daemontest.Noon))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), text)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), text)
	case reflect.String:
		v.SetString(text)
	}
}

// texts are the paths of all texts below v.
func texts(v reflect.Value, path string) []string {
	var all []string
	walk(v, path, func(_ reflect.Value, path string) { all = append(all, path) })
	return all
}

func set(v reflect.Value, root, path, text string) {
	walk(v, root, func(v reflect.Value, at string) {
		if at == path {
			v.SetString(text)
		}
	})
}

func walk(v reflect.Value, path string, visit func(v reflect.Value, path string)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				walk(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			walk(v.Elem(), path, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), path+"[]", visit)
		}
	case reflect.String:
		visit(v, path)
	}
}

func TestTheSecondLookComesBeforeAChangeAndAnImport(t *testing.T) {
	a, store, _ := daemontest.New(t)
	a.Redact = secondLook
	a.Rebuild()
	daemontest.Ingested(t, a, daemontest.Prompt(1, "Remember: the door is green"))
	kept, err := memory.Memories(t.Context(), store, memory.Filter{Project: "p", Limit: 1})
	if err != nil || len(kept) != 1 {
		t.Fatalf("%v, %v", kept, err)
	}
	changed, err := a.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: kept[0].ID, Change: memory.Change{
		ID: "c1", At: daemontest.Noon, By: memory.ByPerson, Content: "the code is " + hidden, AddTags: []string{hidden}, Reason: hidden,
	}})
	if text := inJSON(t, changed); err != nil || strings.Contains(text, hidden) {
		t.Errorf("%s, %v", text, err)
	}
	imported := everywhere(2, memory.EventRemembered)
	imported.ID = memory.NewImportID("test", "1")
	musttest.Get(a.Intake.Import(t.Context(), daemonapi.ImportParams{Events: []memory.Event{imported}}))(t)
	all, err := memory.Memories(t.Context(), store, memory.Filter{Project: "p", Limit: 10})
	if text := inJSON(t, all); err != nil || strings.Contains(text, hidden) || !strings.Contains(text, "[redacted:test]") {
		t.Errorf("%s, %v", text, err)
	}
}

func TestTheReasonOfADeadLetterHasNoSecrets(t *testing.T) {
	a, store, s := daemontest.New(t)
	a.Redact = secondLook
	var logged bytes.Buffer
	a.Log = slog.New(slog.NewTextHandler(&logged, nil))
	a.Rebuild()
	store.Fail = func(memory.Batch) error { return errors.New("cannot take " + hidden) }
	daemontest.Put(t, s, daemontest.Prompt(1, "x"))
	if done, err := a.Intake.Ingest(t.Context()); err != nil || done.Dead != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	for place, text := range map[string]string{"the log": logged.String(), "the spool": filesBelow(t, s.Dir())} {
		if strings.Contains(text, hidden) || !strings.Contains(text, "[redacted:test]") {
			t.Errorf("%s: %s", place, text)
		}
	}
}

func inJSON(t *testing.T, v any) string {
	t.Helper()
	text := musttest.Get(json.Marshal(v))(t)
	return string(text)
}

// filesBelow is the content of all files of a folder.
func filesBelow(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	musttest.Do(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	}))
	return all.String()
}
