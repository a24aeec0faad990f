package hooks_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
)

// Where nobody has decided whether a model may be asked, the user of a later session is asked, and once more a week
// after that; whoever decides, wherever, is not asked again.
func TestAnUndecidedHomeIsAskedAboutDistillationTwice(t *testing.T) {
	const offer = "would go to the endpoint of the agent, when it has ended, at most 30000 tokens (! memory distill --estimate 20 prices your last sessions). " +
		"Nothing is sent until you answer. Yes: ! memory distill on. No: ! memory distill off."
	undecided := func(t *testing.T) *world {
		w := newWorld(t)
		startAgent(t, w, injected)
		if err := os.MkdirAll(filepath.Join(w.env["MEMORY_HOME"], "journal"), 0o700); err != nil { // there was a session
			t.Fatal(err)
		}
		return w.with("MEMORY_DISTILL_ENABLED", "")
	}
	t.Run("twice, a week apart", func(t *testing.T) {
		w := undecided(t)
		age := func(mark string) {
			if err := os.Chtimes(filepath.Join(w.env["MEMORY_HOME"], mark), time.Time{}, time.Now().Add(-8*24*time.Hour)); err != nil {
				t.Fatal(err)
			}
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
	t.Run("a last time with what a model would have cost", func(t *testing.T) {
		w := undecided(t)
		bill := filepath.Join(w.env["MEMORY_HOME"], "distill-bill.json")
		const last = "surrealdb-memory: a model would have kept some 14 to 43 facts of your last 20 sessions, for at most $0.06 by its list price, from the endpoint of before. " +
			"Nothing was sent. Yes: ! memory distill on. This is not asked again."
		var users []string
		for range 2 {
			user, _ := toldUser(t, w, "startup")
			users = append(users, user)
		}
		writeFile(t, bill, `{"sessions":20,"usd":0.0612,"least_facts":14,"most_facts":43,"receiver":"the endpoint of before"}`)
		for range 2 {
			user, _ := toldUser(t, w, "startup")
			users = append(users, user)
		}
		if err := os.Chtimes(filepath.Join(w.env["MEMORY_HOME"], "distill-offered-1"), time.Time{}, time.Now().Add(-8*24*time.Hour)); err != nil {
			t.Fatal(err)
		}
		user, _ := toldUser(t, w, "startup")
		if users = append(users, user); !strings.Contains(users[0], offer) || !slices.Equal(users[1:], []string{"", last, "", ""}) {
			t.Errorf("the starts told the user %q", users)
		}
	})
	for name, silence := range map[string]func(t *testing.T, w *world) *world{
		"after a compaction": func(_ *testing.T, w *world) *world { return w },
		"in the first session": func(t *testing.T, w *world) *world {
			if err := os.Remove(filepath.Join(w.env["MEMORY_HOME"], "journal")); err != nil {
				t.Fatal(err)
			}
			return w
		},
		"against the setting":    func(_ *testing.T, w *world) *world { return w.with("MEMORY_HOOKS_NOTICES", "false") },
		"a program that listens": func(_ *testing.T, w *world) *world { return w.with("CLAUDE_CODE_ENTRYPOINT", "sdk-cli") },
		"yes in the environment": func(_ *testing.T, w *world) *world { return w.with("MEMORY_DISTILL_ENABLED", "true") },
		"no in the client":       func(_ *testing.T, w *world) *world { return w.with("CLAUDE_PLUGIN_OPTION_DISTILL", "false") },
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
	t.Run("a wrong value decides nothing", func(t *testing.T) {
		w := undecided(t).with("CLAUDE_PLUGIN_OPTION_DISTILL", "maybe")
		if user, _ := toldUser(t, w, "startup"); !strings.Contains(user, offer) {
			t.Errorf("the user sees %q", user)
		}
	})
}

// The user's answer to the client's question goes to the agent, which stores it.
func TestTheAnswerInTheClientGoesToTheAgent(t *testing.T) {
	for answer, want := range map[string]string{"true": "true", "false": "false", "": "", "maybe": ""} {
		w := newWorld(t).with("CLAUDE_PLUGIN_OPTION_DISTILL", answer)
		a := startAgent(t, w, injected)
		toldUser(t, w, "startup")
		a.requests(t)
		var met []string
		for _, raw := range a.met {
			var caller agentapi.Caller
			if err := json.Unmarshal([]byte(raw), &caller); err != nil {
				t.Fatal(err)
			}
			met = append(met, caller.Distill)
		}
		if !slices.Equal(met, []string{want}) {
			t.Errorf("answered %q: the agent gets %q", answer, met)
		}
	}
}

// The client asks in the words of plugin.json: they name the data that is sent, its receiver and the
// default amount, and assume no consent.
func TestTheQuestionNamesTheDataSent(t *testing.T) {
	var manifest struct {
		UserConfig map[string]struct {
			Type, Description string
			Default           any
		}
	}
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(repository, "plugin", ".claude-plugin", "plugin.json"))), &manifest); err != nil {
		t.Fatal(err)
	}
	asked := manifest.UserConfig["distill"]
	if asked.Type != "boolean" || asked.Default != false {
		t.Errorf("the option is of type %q, its default is %v", asked.Type, asked.Default)
	}
	thousands := func(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }
	defaults := config.Default().Distill
	for _, part := range []string{
		"redacted", "Claude Code", "(" + defaults.Model + ")", fmt.Sprintf("up to %d facts", distill.MostFacts), thousands(defaults.SessionTokens) + " tokens a session",
		thousands(defaults.DayTokens) + " a day", "memory distill on", "memory distill off",
	} {
		if !strings.Contains(asked.Description, part) {
			t.Errorf("the description lacks %q: %s", part, asked.Description)
		}
	}
}
