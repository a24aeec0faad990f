package hooks

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
)

func TestTheDefaultSettingsAreTheDefaultsAndStayAsTheUserLeftThem(t *testing.T) {
	file := filepath.Join(t.TempDir(), "home", "config.json")
	if err := writeDefaults(file); err != nil {
		t.Fatal(err)
	}
	got, problems := config.Load(file, func(string) string { return "" })
	if diff := cmp.Diff(config.Default(), got); diff != "" || len(problems) > 0 {
		t.Errorf("settings (-default +written), problems %v:\n%s", problems, diff)
	}
	edited := []byte(`{"hooks.durability": "process"}`)
	if err := os.WriteFile(file, edited, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeDefaults(file); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(edited) {
		t.Errorf("the user's settings became %s, %v", after, err)
	}
}
