package structure

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	ticks   = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
)

// TestLinksLeadSomewhere follows each link of the pages to a file of the repository and, if it names one, to a heading of that file.
func TestLinksLeadSomewhere(t *testing.T) {
	links := 0
	for _, page := range pages(t, "*.md", "docs/*.md", "docs/lab/*.md", "docs/adr/*.md", "scripts/*/*.md", "pkg/*/*/rules/*.md") {
		for _, found := range link.FindAllStringSubmatch(ticks.ReplaceAllString(read(t, page), ""), -1) {
			target, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, ":") {
				continue // outside of the repository
			}
			links++
			file := page
			if target != "" {
				file = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(filepath.Join(repository, file)); err != nil {
				t.Errorf("%s links %s: %v", page, found[1], err)
				continue
			}
			if anchor != "" && !anchors(read(t, file))[anchor] {
				t.Errorf("%s links %s, but %s has no such heading", page, found[1], file)
			}
		}
	}
	if links < 50 {
		t.Errorf("only %d links are in the pages: this follows nothing", links)
	}
}

// pages are the files that match, by their paths in the repository.
func pages(t *testing.T, patterns ...string) []string {
	t.Helper()
	var all []string
	for _, pattern := range patterns {
		found := musttest.Get(filepath.Glob(filepath.Join(repository, pattern)))(t)
		for _, file := range found {
			name := musttest.Get(filepath.Rel(repository, file))(t)
			all = append(all, name)
		}
	}
	return all
}

func read(t *testing.T, file string) string {
	t.Helper()
	text := musttest.Get(os.ReadFile(filepath.Join(repository, file)))(t)
	return string(text)
}

// anchors are the names by which GitHub links the headings of a page.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, found := range heading.FindAllStringSubmatch(text, -1) {
		all[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127:
				return r
			default:
				return -1
			}
		}, strings.ToLower(found[1]))] = true
	}
	return all
}
