package knowledge

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestSentences(t *testing.T) {
	text := "# Rules\n- Never log bodies. Use e.g. slog!\n```\ncode\n```\n> quoted\n2024-01-02 12:00 INFO started\nIs v1.2 out? 用索引。好的！"
	var got []string
	for _, s := range sentences(text, false) {
		got = append(got, s.Text)
	}
	want := []string{"Never log bodies.", "Use e.g. slog!", "Is v1.2 out?", "用索引。", "好的！"}
	musttest.Same(t, want, got, "the result")
	if first := sentences(text, false)[0]; !first.Bullet || first.Line != 1 {
		t.Errorf("the first is %+v", first)
	}
}
