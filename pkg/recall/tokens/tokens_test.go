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

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/tokens"
)

func TestKnownCounts(t *testing.T) {
	// A special token in the text must count as the text it is written with.
	for text, want := range map[string]int{"": 0, "hello world": 2, "<|endoftext|>": 7} {
		musttest.Same(t, want, tokens.New().Count(text), "tokens in %q", text)
	}
}

// TestCountsOfLinesAddUp is the law that lets a budget be kept by adding integers: see memory.TokenCounter.
func TestCountsOfLinesAddUp(t *testing.T) {
	c := tokens.New()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(line(), 1, 12).Draw(t, "lines")
		sum := 0
		for _, l := range lines {
			sum += c.Count(l)
		}
		musttest.Same(t, sum, c.Count(strings.Join(lines, "")), "the tokens of a text (-of its lines +of all)")
	})
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

// pattern splits a text for the encoding, as the library has it.
var pattern = strings.Join([]string{
	`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
	`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
	`\p{N}{1,3}`, ` ?[^\s\p{L}\p{N}]+[\r\n/]*`, `\s*[\r\n]+`, `\s+(?!\S)`, `\s+`,
}, "|")

// library is tiktoken with all tokens of the encoding.
func library(t testing.TB) *tiktoken.Tiktoken {
	t.Helper()
	const encoding = tiktoken.MODEL_O200K_BASE
	ranks := musttest.Get(loader.NewOfflineLoader().LoadTiktokenBpe(encoding + ".tiktoken"))(t)
	none := map[string]int{}
	core := musttest.Get(tiktoken.NewCoreBPE(ranks, none, pattern))(t)
	return tiktoken.NewTiktoken(core, &tiktoken.Encoding{Name: encoding, PatStr: pattern, MergeableRanks: ranks, SpecialTokens: none}, nil)
}

// TestCountsAreTheLibrarys compares the counts with those of the library with all its
// tokens, for the texts of this repository and for drawn ones.
func TestCountsAreTheLibrarys(t *testing.T) {
	files, err := filepath.Glob("../../../docs/*.md")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d texts: %v", len(files), err)
	}
	c, full := tokens.New(), library(t)
	for _, file := range files {
		content := musttest.Get(os.ReadFile(file))(t)
		for i, line := range slices.Collect(strings.Lines(string(content))) {
			if i%4 > 0 { // the library is slow with the race detector, and drawn texts follow
				continue
			}
			musttest.Same(t, len(full.EncodeOrdinary(line)), c.Count(line), "the tokens of %q (-library +ours)", line)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(line(), rapid.String(), ofBytes(), rapid.SampledFrom([]string{
			"Größenordnung — naïve", "変更を保存しました。ファイルを開く", "Привет, как дела?", "안녕하세요 세계", "👩‍👩‍👧‍👦🇩🇪", strings.Repeat(" ", 200), strings.Repeat("=", 300), strings.Repeat("ab", 400),
		})).Draw(t, "text")
		musttest.Same(t, len(full.EncodeOrdinary(text)), c.Count(text), "the tokens of %q (-library +ours)", text)
	})
}

// ofBytes draws bytes that may be no UTF-8.
func ofBytes() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
}

func BenchmarkCount(b *testing.B) {
	text := "- [decision] The daemon answers from its index — the store is asked only where `pkg/daemon/briefing` has none (2026-11-22).\n"
	c := tokens.New()
	b.Run("daemon", func(b *testing.B) {
		for b.Loop() {
			c.Count(text)
		}
	})
	full := library(b)
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			full.EncodeOrdinary(text)
		}
	})
}
