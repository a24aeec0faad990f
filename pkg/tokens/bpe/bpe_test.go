package bpe_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens/bpe"
)

func counter(t *testing.T, encoding string) *bpe.Counter {
	t.Helper()
	c, err := bpe.New(encoding)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestKnownCounts(t *testing.T) {
	// A special token in the text must count as the text it is written with.
	cases := []struct {
		encoding, text string
		want           int
	}{
		{"o200k_base", "", 0},
		{"o200k_base", "hello world", 2},
		{"cl100k_base", "hello world", 2},
		{"o200k_base", "<|endoftext|>", 7},
	}
	for _, c := range cases {
		if got := counter(t, c.encoding).Count(c.text); got != c.want {
			t.Errorf("%s counts %d tokens in %q, want %d", c.encoding, got, c.text, c.want)
		}
	}
}

func TestUnknownEncodingIsRefused(t *testing.T) {
	if _, err := bpe.New("gpt2"); err == nil || !strings.Contains(err.Error(), "gpt2") {
		t.Errorf("error %v, want one that names the encoding", err)
	}
}

// TestCountsOfLinesAddUp is the law that lets a budget be kept by adding
// integers: see tokens.Counter.
func TestCountsOfLinesAddUp(t *testing.T) {
	for _, encoding := range []string{"o200k_base", "cl100k_base"} {
		c := counter(t, encoding)
		rapid.Check(t, func(t *rapid.T) {
			lines := rapid.SliceOfN(line(), 1, 12).Draw(t, "lines")
			sum := 0
			for _, l := range lines {
				sum += c.Count(l)
			}
			if whole := c.Count(strings.Join(lines, "")); whole != sum {
				t.Errorf("%s: the lines add up to %d tokens, the text has %d", encoding, sum, whole)
			}
		})
	}
}

// line draws what recall renders: a list item or heading over any text.
func line() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		start := rapid.SampledFrom([]string{"- ", "## ", "<", "- [ ] ", "x"}).Draw(t, "start")
		text := rapid.OneOf(
			rapid.StringOf(rapid.RuneFrom([]rune("ab Z09.,/\\-_'\"(){}<>!?\t\u00e9\u4e2d\U0001f600"))),
			rapid.String(),
			rapid.SampledFrom([]string{"it's", "don't.", "/usr/bin/", "trailing  ", "...", "100000", ".//", "'s"}),
		).Draw(t, "text")
		return start + strings.NewReplacer("\n", " ", "\r", " ").Replace(text) + "\n"
	})
}
