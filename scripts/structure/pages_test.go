package structure

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Bounds of the pages for readers. Measurements and their history go to docs/lab.
const (
	mostPages     = 20
	mostPageLines = 200
	mostCellWords = 30
)

var (
	opening = regexp.MustCompile(`^# .+\n\n(You get here|You learn here|For )`)
	reader  = regexp.MustCompile(`^# .+\n\nFor `)
	cell    = regexp.MustCompile(`(?:\\\||[^|\n])+`)
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	ticks   = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
)

// TestPagesAreShort also holds each page to begin with its readers.
func TestPagesAreShort(t *testing.T) {
	all := pages(t, "docs/*.md")
	if len(all) > mostPages {
		t.Errorf("docs has %d pages, at most %d are allowed: merge two", len(all), mostPages)
	}
	for _, page := range all {
		text := read(t, page)
		if !reader.MatchString(text) {
			t.Errorf("%s does not say under its title whom it serves: begin with %q", page, "For users: ...")
		}
		if strings.Contains(text, "](lab/") {
			t.Errorf("%s links docs/lab, which is not for its readers", page)
		}
		if n := strings.Count(text, "\n"); n > mostPageLines {
			t.Errorf("%s has %d lines, at most %d are allowed: move measurements and history to docs/lab, or a part to a page of its own", page, n, mostPageLines)
		}
	}
	for _, page := range pages(t, "docs/lab/*.md") {
		if !opening.MatchString(read(t, page)) {
			t.Errorf("%s does not say under its title whom it serves: begin with %q", page, "You get here: ...")
		}
	}
}

// TestCellsAreShort holds tables to cells that fit beside each other.
func TestCellsAreShort(t *testing.T) {
	cells := 0
	for _, page := range pages(t, "README.md", "docs/*.md") {
		for number, line := range strings.Split(read(t, page), "\n") {
			if !strings.HasPrefix(line, "|") {
				continue
			}
			for _, text := range cell.FindAllString(line, -1) {
				cells++
				if n := len(strings.Fields(text)); n > mostCellWords {
					t.Errorf("%s:%d: a cell has %d words, at most %d are allowed: put the rest below the table", page, number+1, n, mostCellWords)
				}
			}
		}
	}
	if cells < 500 {
		t.Errorf("only %d cells are in the pages: this reads none", cells)
	}
}

// TestLinksLeadSomewhere: to a file of the repository and, if one is named, to a heading of it.
func TestLinksLeadSomewhere(t *testing.T) {
	links := 0
	for _, page := range pages(t, "*.md", "docs/*.md", "docs/lab/*.md", "docs/adr/*.md") {
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
		found, err := filepath.Glob(filepath.Join(repository, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			name, err := filepath.Rel(repository, file)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, name)
		}
	}
	return all
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, file))
	if err != nil {
		t.Fatal(err)
	}
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
