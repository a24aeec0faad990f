package importer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestARuleKeepsItsHeadingInEachFormOfMarkdown puts the forms of headings, bullets, newlines and of what has no words together.
func TestARuleKeepsItsHeadingInEachFormOfMarkdown(t *testing.T) {
	headings := []string{
		"## Never", "## Never ##", "## Never:", "  ## Never", "Never\n-----", "Never\n-", "Never  \n  --- ", "## **Never**", "**Never**\n", "**Never:**",
		"**Never**:\n", "Never:", "Never:\n", "Never：", "__Never__", "<h2>Never</h2>", `<h3 id="no">Never</h3>`, "*Never:*",
	}
	bullets := []string{"- ", "* ", "+ ", "1. ", "2) ", "• ", "- [ ] ", "  - ", "-   "}
	wordless := []string{
		"", "[ref]: https://example.org", "[ref]: <a b> \"title\"", "[a b]: ./docs/x.md 'title'", "![logo](a.png)", "[![built](b.svg)](https://ci)", "![logo][ref]",
		"***", "<!-- a\nb -->", "<br/>", `<img src="a.png">`, "<p align=\"center\">\n![x](y) ![z](w)\n</p>", "\t", "@docs/more.md",
	}
	newlines := []string{"\n", "\r\n", "\r"}
	titles := []string{"", "# Rules\n", "Rules\n=====\n", "Rules\n=\n", "---\nname: rules\npaths: x\n---\n", "\ufeff"}
	want := []string{"use tabs", "Never: push on Fridays", "Never: squash"}
	n, file := 0, filepath.Join(t.TempDir(), "CLAUDE.md")
	for _, heading := range headings {
		for _, nothing := range wordless {
			// In turn, so that each form meets each of the others.
			bullet, newline, title := bullets[n%len(bullets)], newlines[n/len(bullets)%len(newlines)], titles[n/7%len(titles)]
			text := title + "\n- use tabs\n\n" + heading + "\n" + bullet + "push on Fridays\n" + bullet + "squash\n\n" + nothing + "\n"
			if n%2 == 1 {
				text = title + "\n" + nothing + "\n\n- use tabs\n\n" + heading + "\n" + bullet + "push on Fridays\n" + bullet + "squash\n"
			}
			n++
			got := conventionsIn(t, file, strings.ReplaceAll(text, "\n", newline))
			musttest.Same(t, want, got, "%q", text)
		}
	}
}

func TestHeadingsAboveAndBesideEachOther(t *testing.T) {
	file := filepath.Join(t.TempDir(), "CLAUDE.md")
	for text, want := range map[string][]string{
		"# Always\n- use tabs\n# Never\n- push":                    {"Always: use tabs", "Never: push"},
		"# Rules\n## Never\n### Git\n- push\n## Go\n- wrap":        {"Never: Git: push", "Go: wrap"},
		"Never\n---\n\n### Git\n\npush on\nFridays\n\n## Go\nx y":  {"Never: Git: push on Fridays", "Go: x y"},
		"Use tabs.\n---\nSign tags.":                               {"Use tabs.", "Sign tags."},
		"- use tabs\n---\n- sign tags":                             {"use tabs", "sign tags"},
		"```\nx\n===\n[a]: http://b\n```":                          {"x === [a]: http://b"},
		"[Important]: sign tags\n\n[x] done\n\nsee [a](b) ![c](d)": {"[Important]: sign tags", "[x] done", "see [a](b) ![c](d)"},
		"| a | b |\n|---|---|\n| 1 | 2 |\n---\nx y":                {"1; 2", "x y"},
		"two\nlines\n---\n- push":                                  {"two lines: push"},
		"#hashtag is kept":                                         {"#hashtag is kept"},
	} {
		musttest.Same(t, want, conventionsIn(t, file, text), "%q (-want +got)", text)
	}
}

func conventionsIn(t *testing.T, file, text string) []string {
	t.Helper()
	musttest.Do(t, os.WriteFile(file, []byte(text), 0o600))
	events := musttest.Get(importer.ClaudeMD(file, alpha, false))(t)
	return contents(memoriesOf(events))
}
