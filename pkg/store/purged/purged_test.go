package purged_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
)

func listOf(t interface {
	Helper()
	Fatal(...any)
}, words ...string,
) *purged.List {
	t.Helper()
	return musttest.Get(new(purged.List).With(words, nil, nil))(t)
}

// TestWordsAreFoundInEachForm: words are the same whatever their case, accents, widths and the marks between them.
func TestWordsAreFoundInEachForm(t *testing.T) {
	for words, texts := range map[string][]string{
		"Zora Lindqvist": {
			"ask Zora Lindqvist.", "ZORA LINDQVIST", "zora-lindqvist@example.org", "/src/zora_lindqvist/a.go", "ZoraLindqvist", "Zora\n  Lindqvist's", "**Zora** *Lindqvist*", "Zóra Lindqvíst", "Ｚｏｒａ Ｌｉｎｄｑｖｉｓｔ", "zora\u200blindqvist", norm.NFD.String("Zóra Líndqvist"), "xzoralindqvistx",
			"\x1b[1mZora\x1b[0m \x1b[31mLindqvist\x1b[0m", "Zo\x1b[31mra Lind\x1b[0mqvist", "Zora%20Lindqvist", "Zora&nbsp;Lindqvist", "Zora&#160;Lindqvist", `{"a": "Zora\nLindqvist"}`, `Zora\u00a0Lindqvist`,
		},
		"Müller":     {"bei Müller", "MÜLLER", "Muller", norm.NFD.String("Müller"), "Müllers Büro"},
		"Ann":        {"ask Ann", "ANN's", "ann@x.org", "AnnLee", "x_ann_y"},
		"Straße 17":  {"in der STRASSE 17", "STRAẞE 17", "strasse-17", "Straße 17b"},
		"Hans Masse": {"Hans Maße"},
		"田中":         {"担当は田中さん", "田中"},
		"4711 0815":  {"call 47110815", "call 4711-0815 now"},
	} {
		list := listOf(t, words)
		for _, text := range texts {
			if got := list.Clean(text); !strings.Contains(got, purged.Placeholder) {
				t.Errorf("%q is not found in %q: %q", words, text, got)
			}
		}
	}
}

func TestOtherTextStaysAsItIs(t *testing.T) {
	for words, texts := range map[string][]string{
		"Ann":            {"planning", "annotation", ""},
		"Zora Lindqvist": {"Zora", "Lindqvist, Zora", "zora l", "a\x00b\xffc", "\x1b[31mZora\x1b[0m%20L&nbsp;\\n"},
		"xyzzy":          {"größer ﬁn 日本語 🙂 e\u0301"},
	} {
		for _, text := range texts {
			musttest.Same(t, text, listOf(t, words).Clean(text), "the text, cleaned of %q", words)
		}
	}
	musttest.Fails(t, musttest.Err(new(purged.List).With([]string{"-a-"}, nil, nil)), "one letter can be purged")
}

// TestWordsGoFromAnyText is a law over generated words and texts, long words included: nothing of them is left, what stands around
// them stays, and the file has no plain text.
func TestWordsGoFromAnyText(t *testing.T) {
	letters := rapid.StringMatching(`[a-zäöé]{5,9}( [a-zäöé0-9]{1,9}){0,12}`)
	around := rapid.StringMatching(`[A-Z ,.!]{0,20}`)
	form := rapid.SampledFrom([]func(string) string{
		strings.ToUpper, strings.Clone, norm.NFD.String, norm.NFC.String,
		func(s string) string { return strings.ReplaceAll(s, " ", "\n-- ") },
		func(s string) string { return strings.ReplaceAll(s, " ", "") },
	})
	rapid.Check(t, func(t *rapid.T) {
		words, before, after := letters.Draw(t, "words"), around.Draw(t, "before"), around.Draw(t, "after")
		list := listOf(t, words)
		musttest.Same(t, before+". "+purged.Placeholder+" ."+after, list.Clean(before+". "+form.Draw(t, "form")(words)+" ."+after), "%q left", words)
		if text, err := json.Marshal(list); err != nil || strings.Contains(string(text), words) {
			t.Fatalf("the list holds the words: %s, %v", text, err)
		}
	})
}

// TestABatchLeavesWhatWasPurged, whichever row it is in; the rest stays.
func TestABatchLeavesWhatWasPurged(t *testing.T) {
	list := musttest.Get(listOf(t, "Zora Lindqvist").With(nil, []string{"gone"}, []string{"s9"}))(t)
	file := filepath.Join(t.TempDir(), "purged.json")
	musttest.Do(t, list.Save(file))
	list = purged.NewReader(file, nil).List()
	b := memory.Batch{
		Memories:  []memory.Memory{{ID: "a", Content: "good"}, {ID: "b", Content: list.Clean("pay Zora Lindqvist")}, {ID: "gone"}, {ID: "c", Session: "s9"}, {ID: "d", Tags: []string{purged.Placeholder}}},
		Prompts:   []memory.Prompt{{ID: "p", Session: "s1"}, {ID: "q", Session: "s9"}, {ID: "r", Text: "x " + purged.Placeholder}},
		Sightings: []memory.Sighting{{Memory: "a", Session: "s1"}, {Memory: "b", Session: "s1"}, {Memory: "a", Session: "s9"}},
		Sessions:  []memory.Session{{ID: "s1"}, {ID: "s9"}},
	}
	list.RemoveFrom(&b)
	if len(b.Memories) != 1 || len(b.Prompts) != 1 || len(b.Sightings) != 1 || len(b.Sessions) != 1 || b.Memories[0].ID != "a" {
		t.Errorf("left: %+v", b)
	}
}
