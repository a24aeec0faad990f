package lived

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// An invented dialogue: a rule of the first session is changed in the second, and the recorded answers say so.
func TestADialogueIsLivedInEveryOrder(t *testing.T) {
	dir := t.TempDir()
	type object = map[string]any
	write := func(name string, lines ...object) {
		t.Helper()
		var text []byte
		for _, line := range lines {
			one, err := json.Marshal(line)
			if err != nil {
				t.Fatal(err)
			}
			text = append(append(text, one...), '\n')
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	session := func(kind, topic, text string) object {
		return object{"type": []string{"filler-add", kind}, "topic": []string{"the harbour", topic}, "text": text}
	}
	write("dialogue_7.json", object{
		"context":      object{"mentor": "Ada"},
		"instructions": []any{[]any{-1, []int{3, 0}}, []any{[]int{3, 1}}},
		"sessions": []object{
			session("instruction-add", "start function names with 'a_'", "Ada: Hello!\n\nThe harbour is frozen. Always start function names with 'a_'.\n\nBob: I will."),
			session("instruction-update", "start function names with 'b_'", "Ada: From now on start all function names with 'b_'.\n\nBob: I will."),
		},
	})
	fact := func(id, text, quote, old string) object {
		return object{"id": id, "kind": "convention", "text": text, "title": text, "quotes": []string{quote}, "supersedes": old, "area": "style", "importance": 3}
	}
	answered := filepath.Join(dir, "answers.jsonl")
	write("answers.jsonl",
		object{"session": "1", "summary": object{}, "facts": []object{fact("f1", "Start function names with 'a_'", "Always start function names with 'a_'", "")}},
		object{"session": "2", "summary": object{}, "facts": []object{fact("f2", "Start function names with 'b_'", "start all function names with 'b_'", "f1")}})
	for _, order := range []string{OrderEnded, OrderAll, OrderCatchUp} {
		r, plain, err := MemoryCode(context.Background(), dir, answered, order)
		if err != nil || r.Valid != 1 || r.ValidThere != 1 || r.Outdated != 1 || r.OutdatedThere != 0 || r.GoodLines != 1 {
			t.Errorf("%s: %v, %+v", order, err, r)
		}
		if plain.ValidThere != 1 || plain.OutdatedThere != 1 || plain.Below != 1 || plain.Lines != 2 {
			t.Errorf("the baseline: %+v", plain)
		}
	}
	if _, _, err := MemoryCode(context.Background(), t.TempDir(), "", OrderEnded); err == nil {
		t.Error("an empty folder has dialogues")
	}
}
