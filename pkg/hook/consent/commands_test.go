package consent_test

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/consent"
)

func TestOnlyAPersonDecides(t *testing.T) {
	for line, want := range map[string]bool{
		"distill on": true, "distill off": true, "distill 0123": false, "config set distill.enabled true": true, "config set store.url x": true,
		"config unset distill.enabled": true, "config set disabled false": true, "config get store.url": false, "sync": true, "rule 3f9a1c": true,
		"setup --distill": true, "setup --past": true, "setup --everything no": true, "setup": false, "backup": false, "backup x": true, "backup -- --x": true,
		"export": false, "export x": true, "import export -- x": true, "import transcripts --mine x": true, "import transcripts": true, "import --json transcripts --codex": true, "import claude-md x": true, "import auto-memory x": true, "restore 3f9a": false, "restore x.backup": true,
		"projects merge a b": true, "projects only --off": true, "setup codex off": true, "backup rebuild": true, "edit 3f9a": false, "forget 3f9a": false, "distill --since -- on": true, "distill --help on": true,
		"recall distill on": false, "-project x distill on": true, "--json --project x distill on": true, "remember config set store.url": false, "projects on": true, "projects off": true, "status": false,
	} {
		if _, got := consent.NeedsPerson(strings.Fields(line)); got != want {
			t.Errorf("memory %s: only a person: %v, want %v", line, got, want)
		}
	}
}
