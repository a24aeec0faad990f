package ingest

import (
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// maxSnippet is the maximum number of bytes of a text that is quoted within another.
const maxSnippet = 100

// change returns an edit or a written file as one line: the file, and the part that differs.
func change(e memory.Event) string {
	if e.Tool == "Edit" {
		return edited(e.File, memory.OneLine(e.Before), memory.OneLine(e.After))
	}
	text := "Wrote " + e.File
	if !e.Truncated { // otherwise the hook has not seen all lines
		text += fmt.Sprintf(" (%d %s)", e.Lines, memory.Plural(int(e.Lines), "line"))
	}
	first, _, _ := strings.Cut(strings.TrimSpace(e.After), "\n")
	if gist := memory.OneLine(first); gist != "" {
		text += ": " + memory.Cut(gist, maxSnippet)
	}
	return text
}

func edited(file, before, after string) string {
	text := "Edited " + file
	was, is := differing(before, after)
	switch {
	case before == after && strings.HasSuffix(before, "…"): // the texts differ behind the part that the hook kept
		return text
	case before == after:
		return text + ": white space"
	case strings.Trim(was, "…") == "":
		return text + fmt.Sprintf(": added %q", is)
	case strings.Trim(is, "…") == "":
		return text + fmt.Sprintf(": removed %q", was)
	}
	return text + fmt.Sprintf(": %q became %q", was, is)
}

// differing returns the words in which two texts differ, each part cut to maxSnippet.
func differing(before, after string) (was, is string) {
	old, new := strings.Fields(before), strings.Fields(after)
	start, end := 0, 0
	for start < min(len(old), len(new)) && old[start] == new[start] {
		start++
	}
	for end < min(len(old), len(new))-start && old[len(old)-1-end] == new[len(new)-1-end] {
		end++
	}
	return snippet(old, start, end), snippet(new, start, end)
}

// snippet returns a text without its first start words and last end words.
func snippet(words []string, start, end int) string {
	part := memory.Cut(strings.Join(words[start:len(words)-end], " "), maxSnippet)
	if start > 0 {
		part = "…" + part
	}
	if end > 0 && !strings.HasSuffix(part, "…") {
		part += "…"
	}
	return part
}
