package instructions

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/ruleblock"
)

// text is a file to read, and how.
type text struct {
	root, name string // name is relative to the root
	// isRule is set if the file may apply to certain files only, isMemory if the client loads only its beginning, and
	// isIncluded if another file includes it: the files that it includes itself are not read then.
	isRule, isMemory, isIncluded bool
}

// contents is what is kept of a text.
type contents struct {
	cores    []english.Core // of the text's sentences
	rules    []string       // short ids of the memories in its block of rules
	includes []string       // names of the included files, relative to root
}

// maxMemoryLines is the number of lines of an auto-memory that the client loads.
const maxMemoryLines = 200

// take returns the contents of a text. They are empty if the text is not UTF-8, and for a rule for certain files,
// which the client loads only for work on these.
func (t text) take(data []byte) (f contents) {
	content, err := importer.Text(data)
	if err != nil {
		return contents{}
	}
	if t.isMemory {
		if lines := strings.SplitAfterN(content, "\n", maxMemoryLines+1); len(lines) > maxMemoryLines {
			content = strings.Join(lines[:maxMemoryLines], "")
		}
	}
	f.rules, content = ruleblock.IDs(content)
	header, entries := importer.Entries(content)
	if _, isForSome := header["paths"]; t.isRule && isForSome {
		return contents{}
	}
	for _, entry := range entries {
		f.cores = append(f.cores, coresOf(entry)...)
	}
	if !t.isIncluded {
		f.includes = t.includes(content)
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

var (
	codeSpan = regexp.MustCompile("`[^`]*`")
	included = regexp.MustCompile(`(?:^|\s)@(\S+)`)
)

// includes returns the files below the same root that a text includes by @path. As in the client, a path in code does
// not count.
func (t text) includes(content string) []string {
	var names []string
	fence := ""
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(line, fence) {
				fence = ""
			}
			continue
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			fence = line[:3]
			continue
		}
		for _, found := range included.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, ""), -1) {
			name := strings.TrimRight(found[1], ".,;:)")
			if filepath.IsAbs(name) {
				below, err := filepath.Rel(t.root, name)
				if err != nil {
					continue
				}
				name = filepath.ToSlash(below)
			} else {
				name = path.Join(path.Dir(t.name), name)
			}
			if filepath.IsLocal(filepath.FromSlash(name)) && len(names) < maxIncludes {
				names = append(names, name)
			}
		}
	}
	return names
}

// maxIncludes is the maximum number of files that one file includes.
const maxIncludes = 20
