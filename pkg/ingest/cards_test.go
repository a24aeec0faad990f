package ingest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
)

// inOneSession makes a session of events, a minute apart.
func inOneSession(events ...memory.Event) []memory.Event {
	for i := range events {
		events[i].At = noon.Add(time.Duration(i) * time.Minute)
		events[i].ID = fmt.Sprintf("e%02d", i)
		events[i].Session = "s1"
		events[i].Project = memory.Project{Key: "p", Name: "p", Root: "/p"}
	}
	return events
}

func prompted(text string) memory.Event { return memory.Event{Kind: memory.EventPrompt, Prompt: text} }

func lastWords(text string) memory.Event {
	return memory.Event{Kind: memory.EventTurnEnded, Text: text}
}

func edited() memory.Event {
	return memory.Event{Kind: memory.EventFileChanged, Tool: "Edit", File: "export.sql", Before: "a", After: "b"}
}

func TestStoryHasCards(t *testing.T) {
	golden(t, "story-cards.json", ingest.Cards(recordOf(t, story()), counter(t)))
}

func TestATurnIsACard(t *testing.T) {
	for name, c := range map[string]struct {
		events []memory.Event
		want   []string
	}{
		"the request, the last words, the files": {
			[]memory.Event{
				prompted("why is the export empty for guests?"), edited(), edited(), lastWords("I look at it."),
				lastWords("The query joins on the account, which guests don't have."),
			},
			[]string{"why is the export empty for guests? -> The query joins on the account, which guests don't have. [edited export.sql]"},
		},
		"a bare go-on belongs to the turn before": {
			[]memory.Event{
				prompted("why is the export empty for guests?"), lastWords("The query joins on the account."),
				prompted("yes, go ahead"), edited(), lastWords("It joins on the session now, which guests have too."),
			},
			[]string{"why is the export empty for guests? -> It joins on the session now, which guests have too. [edited export.sql]"},
		},
		"each turn its own": {
			[]memory.Event{
				prompted("why is the export empty?"), lastWords("The query joins on the account."),
				prompted("which port has staging?"), lastWords("Staging listens on port 6543 today."),
			},
			[]string{
				"why is the export empty? -> The query joins on the account.",
				"which port has staging? -> Staging listens on port 6543 today.",
			},
		},
		"a request to remember":     {[]memory.Event{prompted("Remember: the port is 6543"), lastWords("I remember it.")}, nil},
		"an answer without content": {[]memory.Event{prompted("no, we removed the export on purpose"), lastWords("Understood.")}, nil},
		"nothing came of it":        {[]memory.Event{prompted("why is the export empty?"), edited()}, nil},
		"nobody typed it":           {[]memory.Event{prompted("<task-notification>done</task-notification>"), lastWords("Done.")}, nil},
		"words before any prompt":   {[]memory.Event{lastWords("Staging listens on port 6543 today.")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			record := recordOf(t, inOneSession(c.events...))
			cards := ingest.Cards(record, counter(t))
			var got []string
			for _, m := range cards.Memories {
				got = append(got, m.Content)
				if m.Kind != memory.KindTurn || m.Source != memory.SourceAssistant || !m.IsHearsay() || m.Type != memory.TypeSemantic || m.Scope != memory.ScopeProject {
					t.Errorf("kept as %+v", m)
				}
				if m.TokenCount != counter(t).Count(render.Line(m)) {
					t.Errorf("%d tokens are stored for %q", m.TokenCount, render.Line(m))
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("cards (-want +got):\n%s", diff)
			}
			if again := ingest.Cards(record, counter(t)); cmp.Diff(cards, again) != "" {
				t.Error("looked at again, they are others")
			}
			if len(cards.Sightings) != len(cards.Memories) {
				t.Errorf("%d sightings of %d cards", len(cards.Sightings), len(cards.Memories))
			}
		})
	}
}

// A card holds the prompt and the last words at their full measure.
func TestALongTurnIsCutBySubject(t *testing.T) {
	long := strings.Repeat("the export joins tables by keys ", 40)
	record := recordOf(t, inOneSession(prompted(long), lastWords("The cause is known. "+long+". The end of it is here.")))
	cards := ingest.Cards(record, counter(t)).Memories
	if len(cards) != 1 || len(cards[0].Content) < 400 || len(cards[0].Content) > 900 || !strings.Contains(cards[0].Content, " -> The cause is known.") {
		t.Errorf("cards %+v", cards)
	}
	if !strings.Contains(cards[0].Detail, "The end of it is here.") {
		t.Errorf("the detail is %q", cards[0].Detail)
	}
}

// A turn that went on after it had been looked at is another card, by another
// sighting: the store refuses a sighting that shows another memory than it did.
func TestASightingShowsOneMemory(t *testing.T) {
	events := inOneSession(prompted("why is the export empty for guests?"), lastWords("The query joins on the account."), prompted("and now?"), lastWords("It joins on the session now, which guests have too."))
	shown := map[string]string{}
	for n := range events {
		for _, s := range ingest.Cards(recordOf(t, events[:n+1]), counter(t)).Sightings {
			if known, is := shown[s.ID]; is && known != s.Memory {
				t.Errorf("after %d events %s shows %s, and showed %s", n+1, s.ID, s.Memory, known)
			}
			shown[s.ID] = s.Memory
		}
	}
	if len(shown) != 2 {
		t.Errorf("there were %d cards, want that of the turn before and after it went on", len(shown))
	}
}
