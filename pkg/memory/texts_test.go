package memory_test

import (
	"io/fs"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/schema"
)

// written lists the fields of rows, events and changes in which somebody else's words are, by their types. A new field of texts
// must be listed here, or have a holds tag that says why a purge by words does not look at it.
var written = strings.Fields(`
	Action.Reason Change.Content Change.Reason
	Digest.Request Digest.Investigated Digest.Learned Digest.Completed Digest.NextSteps Digest.FilesRead Digest.FilesModified
	DistilledFact.Text DistilledFact.Title DistilledFact.Quotes DistilledFact.Cues Distillation.Reason Distillation.Notes
	Event.Prompt Event.LastWords Event.File Event.Before Event.After Event.Command Event.Output Event.Error Event.Text Event.Files
	Event.Title Event.Cues Event.Quote
	Memory.Content Memory.Detail Memory.Title Memory.Cues Memory.Files Memory.Command Memory.Signature
	Prompt.Text Run.Error Run.Notes Session.First Spend.Error
	SessionEvent.Text SessionEvent.Detail SessionEvent.Files SessionEvent.Command SessionEvent.Signature
	State.Content State.Detail State.Title State.Cues Summary.Text
`)

// TestEachTextSaysWhatItHolds walks all columns of all tables, events and changes. A field is written by somebody if the sign that
// stands in each string of a value is cleaned from it.
func TestEachTextSaysWhatItHolds(t *testing.T) {
	var found []string
	seen := map[reflect.Type]bool{}
	var walk func(of reflect.Type)
	walk = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || seen[of] || !strings.HasSuffix(of.PkgPath(), "/pkg/memory") {
			return
		}
		seen[of] = true
		for i := range of.NumField() {
			field := of.Field(i)
			walk(field.Type)
			one := reflect.New(of).Elem()
			switch text := one.Field(i); {
			case field.Type.Kind() == reflect.String:
				text.SetString("sign")
			case field.Type.Kind() == reflect.Slice && field.Type.Elem().Kind() == reflect.String:
				text.Set(reflect.MakeSlice(field.Type, 1, 1))
				text.Index(0).SetString("sign")
			default:
				continue
			}
			isCleaned := false
			_ = memory.CleanedTexts(one.Interface(), func(text string) string { isCleaned = text == "sign"; return text })
			if isCleaned && field.Tag.Get("holds") == "" {
				found = append(found, of.Name()+"."+field.Name)
			}
		}
	}
	for _, of := range memory.RowTypes() {
		walk(reflect.TypeOf(of.Zero()))
	}
	walk(reflect.TypeFor[memory.Event]())
	walk(reflect.TypeFor[memory.Change]())
	slices.Sort(found)
	want := slices.Sorted(slices.Values(written))
	musttest.Same(t, want, found, "fields with words of others (-want +got)")
}

// TestEachColumnWithTextIsKnown compares the columns of the schema with those of the rows' types. The store derives the rest.
func TestEachColumnWithTextIsKnown(t *testing.T) {
	ours := []string{"lease", "migration_history", "maintenance_job"} // no row of these has a text of somebody else's
	derived := map[string]bool{"memory.page_order": true, "spend.day": true, "maintenance_action.run": true}
	columns := 0
	files := musttest.Get(fs.Glob(schema.FS, "*.surql"))(t)
	field := regexp.MustCompile(`(?m)^DEFINE FIELD (?:IF NOT EXISTS )?(\w+) ON (\w+) .*?TYPE (\S+)`)
	var all [][]string
	for _, file := range files {
		all = append(all, field.FindAllStringSubmatch(string(musttest.Get(fs.ReadFile(schema.FS, file))(t)), -1)...)
	}
	for _, d := range all {
		name, table, of := d[1], d[2], d[3]
		hasText := slices.ContainsFunc([]string{"string", "object"}, func(kind string) bool { return strings.Contains(of, kind) })
		if !hasText || slices.Contains(ours, table) || derived[table+"."+name] {
			continue
		}
		columns++
		if _, isKnown := memory.TextsIn(table)[name]; !isKnown {
			t.Errorf("%s.%s: a purge does not know the column", table, name)
		}
	}
	if columns < 50 {
		t.Errorf("the schema has %d columns with text", columns)
	}
}

// TestOurOwnWordsStay of a text beside the words of others.
func TestOurOwnWordsStay(t *testing.T) {
	clean := func(text string) string {
		return strings.NewReplacer("zora", "X", "archived", "X", "replaced", "X", "learned", "X", "user", "X", "Archived", "X", "prompt", "X", "cli", "X").Replace(text)
	}
	id := memory.NewID(memory.ScopeProject, "p", "other")
	for text, want := range map[string]string{
		"Archived on 2026-11-30: replaced by " + id + "\nfor zora":  "Archived on 2026-11-30: replaced by " + id + "\nfor X",
		"Archived on 2026-11-30: replaced by " + id + ": zora left": "Archived on 2026-11-30: replaced by " + id + ": X left",
		"Archived on 2026-11-30: " + memory.TookBack:                "Archived on 2026-11-30: " + memory.TookBack,
		"Archived on 2026-11-30: the user archived it":              "Archived on 2026-11-30: the X X it",
		"Archived on zora: replaced by user":                        "X on X: X by X",
		"Archived":                                                  "X",
		`{"part":"p","model":"m","digest":{"learned":"of zora"}}`:   `{"part":"p","model":"m","digest":{"learned":"of X"}}`,
		`{"part":"p","model":"m","digest":{"learned":"of all"}}`:    `{"part":"p","model":"m","digest":{"learned":"of all"}}`,
		`{"part":`: `{"part":`, `{"zora":1}`: `{"X":1}`,
	} {
		musttest.Same(t, want, memory.CleanedTexts(memory.Memory{Detail: text}, clean).Detail, "%q became", text)
	}
	tags := []string{"user", "decision", "said-0123zora", "zora", "users"}
	musttest.Same(t, []string{"user", "decision", "said-0123zora", "X", "Xs"}, memory.CleanedTexts(memory.Memory{Tags: tags}, clean).Tags, "tags (-want +got)")
	if e := memory.CleanedTexts(memory.Event{Tool: "zora"}, clean); e.Tool != "zora" {
		t.Error(e.Tool)
	}
	if e := memory.CleanedTexts(memory.Event{Tool: "mcp__zora__ask"}, clean); e.Tool != "mcp__X__ask" {
		t.Error(e.Tool)
	}
	for id, isMade := range map[string]bool{"5f0c9a52-1d0e-4b7c-cafe-2a1b3c4d5e6f": true, "cli-2026-11-30-0a1b2c3d": true, "mcp-2026-11-30": true, "zora-1": false, "s1": false} {
		musttest.Same(t, isMade, memory.IsMadeID(id), "%s", id)
	}
}
