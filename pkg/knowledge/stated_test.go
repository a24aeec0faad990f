package knowledge_test

import (
	"os"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
)

// leastStated are the least precision and recall of each class on the half of its set that no
// rule was made on.
var leastStated = map[string][2]float64{
	"oneoff": {0.88, 0.95}, "opener": {0.95, 0.65},
}

// TestGoldenStated holds the rules to sets of one class each (testdata/knowledge/stated).
// Rules were made on every second line; the others check them.
func TestGoldenStated(t *testing.T) {
	files, err := os.ReadDir("../../testdata/knowledge/stated")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		class := strings.TrimSuffix(file.Name(), ".txt")
		t.Run(class, func(t *testing.T) {
			var halves [2][]labelled
			for i, l := range load(t, "stated/"+file.Name()) {
				halves[i%2] = append(halves[i%2], l)
			}
			for i, name := range []string{"made on", "checked on"} {
				kept, _ := measure(t, halves[i], stated(knowledge.Finder{}))
				t.Logf("%s, %s: precision %.3f, recall %.3f of %d of %d", class, name, kept.precision(), kept.recall(), kept.labelled, len(halves[i]))
				if least := leastStated[class]; i == 1 && (kept.precision() < least[0] || kept.recall() < least[1]) {
					t.Errorf("want at least %.2f and %.2f", least[0], least[1])
				}
			}
		})
	}
}

// stated finds the statements of a prompt, which may come after the assistant's words and
// "=>".
func stated(finder knowledge.Finder) func(string) []knowledge.Statement {
	return func(text string) []knowledge.Statement {
		lastWords, prompt, replies := strings.Cut(text, " => ")
		if !replies {
			lastWords, prompt = "", text
		}
		return finder.Statements(prompt, knowledge.Context{LastWords: lastWords})
	}
}
