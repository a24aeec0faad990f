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
		unit := "lines"
		if e.Lines == 1 {
			unit = "line"
		}
		text += fmt.Sprintf(" (%d %s)", e.Lines, unit)
	}
	if gist := firstLine(e.After); gist != "" {
		text += ": " + memory.Cut(gist, maxSnippet)
	}
	return text
}

func edited(file, before, after string) string {
	text := "Edited " + file
	before, after = differing(before, after)
	switch {
	case before == after && strings.HasSuffix(before, "…"): // they differ behind the part that the hook kept
		return text
	case before == after:
		return text + ": white space"
	case strings.Trim(before, "…") == "":
		return text + fmt.Sprintf(": added %q", after)
	case strings.Trim(after, "…") == "":
		return text + fmt.Sprintf(": removed %q", before)
	}
	return text + fmt.Sprintf(": %q became %q", before, after)
}

// fewBytes is a limit: if at most this many equal bytes come before the difference, they are shown, too.
const fewBytes = 12

// differing returns the parts in which two texts differ, in whole words, each cut to maxSnippet.
func differing(before, after string) (was, is string) {
	start, end := 0, 0
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	for end < min(len(before), len(after))-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	for start > 0 && before[start-1] != ' ' {
		start--
	}
	for end > 0 && (!startsWord(before, len(before)-end) || !startsWord(after, len(after)-end)) {
		end--
	}
	if start <= fewBytes && start+end < min(len(before), len(after)) {
		start = 0
	}
	return snippet(before, start, end), snippet(after, start, end)
}

// startsWord reports whether a word or a blank begins at a byte of a text.
func startsWord(text string, at int) bool { return at == 0 || text[at] == ' ' || text[at-1] == ' ' }

// snippet returns a text without its first start bytes and last end bytes.
func snippet(text string, start, end int) string {
	part := memory.Cut(strings.TrimSpace(text[start:len(text)-end]), maxSnippet)
	if start > 0 {
		part = "…" + part
	}
	if end > 0 && !strings.HasSuffix(part, "…") {
		part += "…"
	}
	return part
}

func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = memory.OneLine(line); line != "" {
			return line
		}
	}
	return ""
}
