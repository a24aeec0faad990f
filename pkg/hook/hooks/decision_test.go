package hooks_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// Where nobody has decided whether a model may be asked, the user of a later session is asked, and once more a week
// after that; whoever decides, wherever, is not asked again.
func TestAnUndecidedHomeIsAskedAboutDistillationTwice(t *testing.T) {
	const offer = "at most 40000 tokens, would go to your own Claude Code (claude, model haiku); ! memory distill --estimate 20 shows what your last sessions would cost. " +
		"Nothing is sent until you answer. Yes: ! memory distill on. No: ! memory distill off."
	undecided := func(t *testing.T) *world {
		w := newWorld(t)
		startDaemon(t, w, injected)
		musttest.Do(t, os.MkdirAll(filepath.Join(w.env["MEMORY_HOME"], "journal"), 0o700)) // there was a session
		return w
	}
	t.Run("twice, a week apart", func(t *testing.T) {
		w := undecided(t)
		age := func(mark string) {
			musttest.Do(t, os.Chtimes(filepath.Join(w.env["MEMORY_HOME"], mark), time.Time{}, time.Now().Add(-8*24*time.Hour)))
		}
		for start, asked := range []bool{true, false, true, false, false} {
			switch start {
			case 2:
				age("distill-offered-1")
			case 4:
				age("distill-offered-2")
			}
			user, model := toldUser(t, w, "startup")
			if strings.Count(user, offer) != map[bool]int{true: 1}[asked] || strings.Contains(user, "\n") || model != injected {
				t.Errorf("start %d: the user sees %q, the model %q", start+1, user, model)
			}
		}
	})
	for name, silence := range map[string]func(t *testing.T, w *world) *world{
		"after a compaction": func(_ *testing.T, w *world) *world { return w },
		"in the first session": func(t *testing.T, w *world) *world {
			musttest.Do(t, os.Remove(filepath.Join(w.env["MEMORY_HOME"], "journal")))
			return w
		},
		"against the setting":    func(_ *testing.T, w *world) *world { return w.with("MEMORY_HOOKS_NOTICES", "false") },
		"a program that listens": func(_ *testing.T, w *world) *world { return w.with("CLAUDE_CODE_ENTRYPOINT", "sdk-cli") },
		"yes in the settings": func(t *testing.T, w *world) *world {
			writeFile(t, filepath.Join(w.env["MEMORY_HOME"], "config.json"), `{"distill":{"enabled":true}}`)
			return w
		},
		"no in the settings": func(t *testing.T, w *world) *world {
			writeFile(t, filepath.Join(w.env["MEMORY_HOME"], "config.json"), `{"distill":{"enabled":false}}`)
			return w
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, source := silence(t, undecided(t)), "startup"
			if name == "after a compaction" {
				source = "compact"
			}
			if user, _ := toldUser(t, w, source); user != "" {
				t.Errorf("the user sees %q", user)
			}
		})
	}
}
