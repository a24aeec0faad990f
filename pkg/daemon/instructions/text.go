package instructions

import (
	"regexp"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/ruleblock"
)

// contents is what is kept of a text.
type contents struct {
	cores          []english.Core // cores of the text's sentences
	lines          []string       // its items and paragraphs, each as lineOf returns it
	rules          []string       // short ids of the memories in its block of rules
	includesAgents bool           // whether it includes AGENTS.md
}

// agentsFile is the name of the file for agents other than Claude Code.
const agentsFile = "AGENTS.md"

// maxMemoryLines is the number of lines that the client loads of MEMORY.md.
const maxMemoryLines = 200

// contentsOf returns the contents of a text. They are empty if the text is not UTF-8.
func contentsOf(data []byte, isMemory bool) (f contents) {
	content, err := importer.Text(data)
	if err != nil {
		return contents{}
	}
	if isMemory {
		if lines := strings.SplitAfterN(content, "\n", maxMemoryLines+1); len(lines) > maxMemoryLines {
			content = strings.Join(lines[:maxMemoryLines], "")
		}
	}
	f.rules, content = ruleblock.IDs(content)
	f.includesAgents = strings.Contains(content, "@"+agentsFile)
	_, entries := importer.Entries(withMarks(content))
	for _, entry := range entries {
		f.cores, f.lines = append(f.cores, coresOf(entry)...), append(f.lines, lineOf(entry))
	}
	return f
}

// withMarks returns a text in which lines of code and rows of tables begin with a backtick, so that none is the same as a sentence.
func withMarks(content string) string {
	var marked strings.Builder
	fence := ""
	for line := range strings.Lines(content) {
		text := strings.TrimSpace(line)
		isItem := len(text) > 1 && strings.ContainsAny(text[:1], "-*+") && text[1] == ' '
		switch {
		case fence != "" && strings.HasPrefix(text, fence):
			fence = ""
		case fence != "", !isItem && text != "" && strings.HasPrefix(strings.ReplaceAll(line, "\t", "    "), "    "):
			line = strings.Replace(line, text, "`"+text, 1)
		case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
			fence = text[:3]
		case strings.Trim(text, "|-: ") != "":
			line = strings.Replace(line, "|", "|`", strings.Count(text[:1], "|"))
		}
		marked.WriteString(line)
	}
	return marked.String()
}

// lineOf returns the words of a text in their order, without case, emphasis and the marks around words. It keeps question marks, and
// the marks ~~ and ` (struck out text and code).
func lineOf(text string) string {
	text = strong.ReplaceAllString(strings.ToLower(text), "$1")
	words := strings.Fields(emphasis.ReplaceAllString(text, "$1$2$3"))
	for i, word := range words {
		words[i] = strings.TrimRight(strings.TrimLeft(word, "\"'“‘("), ".,;:!…\"'”’)")
	}
	return strings.Join(words, " ")
}

var (
	strong   = regexp.MustCompile(`(?:\*\*|__)(\S(?:.*?\S)?)(?:\*\*|__)`)
	emphasis = regexp.MustCompile(`(^|[\s(])[*_](\S(?:[^*_]*[^*_\s])?)[*_]($|[\s.,;:!)])`)
)

// coresOf returns the english.Core of each sentence of a text. The part before a semicolon also counts as a sentence.
func coresOf(text string) []english.Core {
	var cores []english.Core
	for part := range strings.SplitSeq(text, "; ") {
		for _, one := range language.Sentences(part) {
			if core := english.CoreOf(one); core.IsContainedIn(core) { // the core of a sentence without words is contained in none
				cores = append(cores, core)
			}
		}
	}
	return cores
}
