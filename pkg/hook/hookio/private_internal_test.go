package hookio

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestAPrivateTagIsNotLostInTheCut: text behind an opening tag stays hidden even if the tag itself is cut out.
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
		data := musttest.Get(json.Marshal(map[string]string{"prompt": c.text}))(t)
		in := musttest.Get(Decode(strings.NewReader(string(data))))(t)
		_, after, cut := strings.Cut(in.Prompt, "bytes cut]…")
		if !cut || strings.HasPrefix(after, "<private>") != c.open || len(in.Prompt) > 32<<10 {
			t.Errorf("%s: cut %v, %d bytes, goes on with %.20q", c.name, cut, len(in.Prompt), after)
		}
	}
}
