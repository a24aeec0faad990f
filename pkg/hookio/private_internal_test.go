package hookio

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestAPrivateTagIsNotLostInTheCut: text behind an opening tag stays hidden even if the tag itself
// is cut out.
func TestAPrivateTagIsNotLostInTheCut(t *testing.T) {
	filler := strings.Repeat("x", 300_000)
	cases := []struct {
		name, text string
		open       bool
	}{
		{"opened and not closed", filler + "<private>" + filler, true},
		{"in any case", filler + "<PRIVATE>" + filler, true},
		{"closed again", filler + "<private>a</private>" + filler, false},
		{"closed once, opened twice", filler + "<private><private></private>" + filler, true},
		{"only closed", filler + "</private>" + filler, false},
		{"no tag", filler + "< private" + filler, false},
		{"a short text", strings.Repeat("y", 40_000) + "<private>" + strings.Repeat("z", 40_000), true},
	}
	for _, c := range cases {
		data, err := json.Marshal(map[string]string{"prompt": c.text})
		if err != nil {
			t.Fatal(err)
		}
		in, err := Decode(strings.NewReader(string(data)), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		_, after, cut := strings.Cut(in.Prompt, "bytes cut]…")
		if !cut || strings.HasPrefix(after, "<private>") != c.open || len(in.Prompt) > 32<<10 {
			t.Errorf("%s: cut %v, %d bytes, goes on with %.20q", c.name, cut, len(in.Prompt), after)
		}
	}
}

// TestPiecesDoNotMatter: tags are counted alike however the text is cut up.
func TestPiecesDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"<private>", "</private>", "<pri", "vate>", "<", "/private", "x", "yyyyyyyyyyyy"}), 1, 12).Draw(t, "parts")
		text := []byte(strings.Join(parts, ""))
		var whole, pieces privateScan
		whole.pass(text, []byte{})
		for rest := text; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			pieces.pass(rest[:n:n], nil)
			rest = rest[n:]
		}
		pieces.pass(nil, []byte{})
		if whole.open != pieces.open {
			t.Errorf("%q: %d open in one piece, %d in several", text, whole.open, pieces.open)
		}
	})
}
