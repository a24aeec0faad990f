//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// planFile finds the file that the client asks for a plan.
var planFile = regexp.MustCompile(`create your plan at (\S+\.md)`)

// A person accepts a plan on a terminal, and refuses another: the accepted one is in the record
// of its session, for the model that distils, the other is not, and neither's file is work on the
// project.
func TestAnAcceptedPlanIsInTheRecord(t *testing.T) {
	const plan = "# Export in parts\n\nStream the rows, because the whole table does not fit into memory."
	for name, isAccepted := range map[string]bool{"accepted": true, "refused": false} {
		t.Run(name, func(t *testing.T) {
			u, api := newUser(t)
			leave := Call("ExitPlanMode", map[string]any{})
			leave.Before = func() { // as the model would have written it
				for _, r := range api.Requests() {
					for _, m := range r.Messages {
						if found := planFile.FindStringSubmatch(strings.Join(m.Content.allText(), "\n")); found != nil {
							if err := os.MkdirAll(filepath.Dir(found[1]), 0o700); err != nil {
								t.Error(err)
							}
							if err := os.WriteFile(found[1], []byte(plan), 0o600); err != nil {
								t.Error(err)
							}
						}
					}
				}
			}
			api.Script("plan", leave, Say("I carry it out now."))
			u.Run(t.Context(), "Hello.") // the daemon runs
			c := u.talk(t.Context(), t)
			await(t, 20*time.Second, "the session to start", func() bool { return c.logged("SessionStart:startup") > 0 })
			c.awaitDrawn("for shortcuts")
			for _, mode := range []string{"accept edits on", "plan mode on"} { // auto mode would be the next
				c.pressUntil("\x1b[Z", func() bool { return c.isDrawn(mode) }) // shift and tab
			}
			c.typed("SCRIPT:plan please", "SCRIPT:plan")
			c.awaitDrawn("does not fit into memory")
			c.awaitDrawn("Tell Claude what to change")
			c.press(keyDown) // yes, and approve edits by hand
			if !isAccepted {
				c.press(keyDown, "no, leave the query as it is")
			}
			c.enterUntil(func() bool { return c.logged("Hooks: Stop [") > 0 })
			session := c.session()
			c.end()
			record := u.stored(t, session)
			is := slices.ContainsFunc(record.SessionEvents, func(e memory.SessionEvent) bool {
				return e.Kind == memory.EventPlanAccepted && strings.Contains(e.Text, "does not fit into memory")
			})
			if is != isAccepted {
				t.Errorf("the record has %+v", record.SessionEvents)
			}
			if got := sessionEvents(record, memory.EventFileChanged); len(got) > 0 {
				t.Errorf("the record has the edits %q", got)
			}
			for _, one := range record.Seen {
				if !isAccepted && strings.Contains(one.Memory.Content, "does not fit") && !strings.Contains(one.Memory.Content, "(refused: ") {
					t.Errorf("remembered: %s %s", one.Memory.Kind, one.Memory.Content)
				}
			}
		})
	}
}
