package instructions

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/ruleblock"
)

// contents is what is kept of a text.
type contents struct {
	cores          []english.Core // cores of the text's sentences
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
	_, entries := importer.Entries(content)
	for _, entry := range entries {
		f.cores = append(f.cores, coresOf(entry)...)
	}
	return f
}

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
