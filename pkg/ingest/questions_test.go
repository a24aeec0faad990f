package ingest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// A question that the next prompt answers was injected into every later session as if it were open.
func TestOnlyTheQuestionThatASessionEndsWithIsKept(t *testing.T) {
	first := lastWords("Both index files export it. I suggest to delete src/index.ts; should I do that?")
	second := lastWords("Deleted. Which of the two formats should the export keep?")
	for name, c := range map[string]struct {
		events []memory.Event
		want   []string
	}{
		"answered":                 {[]memory.Event{prompted("why is it exported twice?"), first, prompted("yes"), lastWords("I deleted it.")}, nil},
		"left open":                {[]memory.Event{prompted("why is it exported twice?"), first, prompted("yes"), second}, []string{"Which of the two formats should the export keep?"}},
		"answered in another turn": {[]memory.Event{prompted("why?"), second, prompted("the first one, nobody reads the second")}, nil},
		"left by a command":        {[]memory.Event{prompted("why?"), second, prompted("<command-name>/exit</command-name>")}, []string{"Which of the two formats should the export keep?"}},
	} {
		t.Run(name, func(t *testing.T) {
			events := inOneSession(c.events...)
			for _, m := range ingest.Batch(events, counter(t)).Memories {
				if m.IsConclusion() {
					t.Errorf("kept before the session was over: %s", m.Content)
				}
			}
			var got []string
			for _, m := range ingest.Questions(recordOf(t, events), counter(t)).Memories {
				got = append(got, m.Content)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("questions (-want +got):\n%s", diff)
			}
		})
	}
}
