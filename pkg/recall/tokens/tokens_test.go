package tokens_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/tokens"
)

func counter(t *testing.T, encoding string) *tokens.Counter {
	t.Helper()
	c, err := tokens.New(encoding)
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
	if _, err := tokens.New("gpt2"); err == nil || !strings.Contains(err.Error(), "gpt2") {
		t.Errorf("error %v, want one that names the encoding", err)
	}
}

// TestCountsOfLinesAddUp is the law that lets a budget be kept by adding
// integers: see memory.TokenCounter.
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

// line draws texts in the form of recall's lines: a list item or heading over any text.
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

// patterns split a text for an encoding, as the library has them.
var patterns = map[string]string{
	"o200k_base": strings.Join([]string{
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
		`\p{N}{1,3}`, ` ?[^\s\p{L}\p{N}]+[\r\n/]*`, `\s*[\r\n]+`, `\s+(?!\S)`, `\s+`,
	}, "|"),
	"cl100k_base": `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
}

// library is tiktoken with all tokens of an encoding.
func library(t testing.TB, encoding string) *tiktoken.Tiktoken {
	t.Helper()
	ranks, err := loader.NewOfflineLoader().LoadTiktokenBpe(encoding + ".tiktoken")
	if err != nil {
		t.Fatal(err)
	}
	none := map[string]int{}
	core, err := tiktoken.NewCoreBPE(ranks, none, patterns[encoding])
	if err != nil {
		t.Fatal(err)
	}
	return tiktoken.NewTiktoken(core, &tiktoken.Encoding{Name: encoding, PatStr: patterns[encoding], MergeableRanks: ranks, SpecialTokens: none}, nil)
}

// TestCountsAreTheLibrarys compares the counts with those of the library with all its
// tokens, for the texts of this repository and for drawn ones.
func TestCountsAreTheLibrarys(t *testing.T) {
	files, err := filepath.Glob("../../../docs/*.md")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d texts: %v", len(files), err)
	}
	for encoding := range patterns {
		c, full := counter(t, encoding), library(t, encoding)
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range slices.Collect(strings.Lines(string(content))) {
				if i%4 > 0 { // the library is slow with the race detector, and drawn texts follow
					continue
				}
				if got, want := c.Count(line), len(full.EncodeOrdinary(line)); got != want {
					t.Errorf("%s counts %d tokens in %q, the library %d", encoding, got, line, want)
				}
			}
		}
		rapid.Check(t, func(t *rapid.T) {
			text := rapid.OneOf(line(), rapid.String(), ofBytes(), rapid.SampledFrom([]string{
				"Größenordnung — naïve", "変更を保存しました。ファイルを開く", "Привет, как дела?", "안녕하세요 세계", "👩‍👩‍👧‍👦🇩🇪", strings.Repeat(" ", 200), strings.Repeat("=", 300), strings.Repeat("ab", 400),
			})).Draw(t, "text")
			if got, want := c.Count(text), len(full.EncodeOrdinary(text)); got != want {
				t.Errorf("%s counts %d tokens in %q, the library %d", encoding, got, text, want)
			}
		})
	}
}

// ofBytes draws bytes that may be no UTF-8.
func ofBytes() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
}

func BenchmarkCount(b *testing.B) {
	text := "- [decision] The daemon answers from its index — the store is asked only where `pkg/daemon/briefing` has none (2026-11-22).\n"
	c, err := tokens.New("o200k_base")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("daemon", func(b *testing.B) {
		for b.Loop() {
			c.Count(text)
		}
	})
	full := library(b, "o200k_base")
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			full.EncodeOrdinary(text)
		}
	})
}
