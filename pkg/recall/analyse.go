package recall

import (
	"math"
	"path"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// How many quarters a word counts in each field.
const (
	quarters      = 4
	textQuarters  = 4
	cueQuarters   = 8
	fileQuarters  = 2
	quoteQuarters = 1
	maxQuarters   = 1 << 12
)

// The most bytes of a memory's text and of its quote that are searched.
const (
	maxContentBytes = 16 << 10
	maxDetailBytes  = 1000
)

// analysis is an entry split into its terms.
type analysis struct {
	doc
	terms map[string]uint16 // quarters by term
	marks []mark
}

func analyse(e Entry) analysis {
	m := &e.Memory
	a := analysis{doc: doc{entry: &e, at: m.LastSeenAt.UnixNano(), part: logged}, terms: map[string]uint16{}}
	if e.Offered {
		a.part = offered
	}
	content := a.add(memory.Cut(m.Content, maxContentBytes), textQuarters)
	a.add(memory.Cut(m.Detail, maxDetailBytes), quoteQuarters)
	if len(m.Cues) > 0 {
		a.addCues()
	} else {
		a.addFields(content)
	}
	if !m.IsFact() {
		a.addMarks()
	}
	return a
}

// addCues adds the cues, with their files, commands and types of work.
func (a *analysis) addCues() {
	for _, cue := range a.entry.Memory.Cues {
		var terms []string
		for _, t := range a.add(cue, cueQuarters) {
			terms = append(terms, t.Term)
		}
		slices.Sort(terms)
		a.cues = append(a.cues, slices.Compact(terms))
		a.mark(byCommand, shell.Normalize(cue))
		if a.entry.Memory.Kind.IsRule() {
			a.markCommands(completedBy(cue, nil))
		}
		a.addFiles(cue)
	}
	a.work = workNamed(strings.Join(a.entry.Memory.Cues, "\n"))
}

// addFields adds the other fields of a memory without cues, and the size of its content.
func (a *analysis) addFields(content []english.Token) {
	m, length := &a.entry.Memory, a.length
	a.add(shell.Normalize(m.Command), fileQuarters)
	for _, file := range m.Files {
		a.add(file, fileQuarters)
	}
	a.length = length // the names of ten files do not make a memory longer
	size := 0.0
	for _, t := range content {
		size += t.Share
	}
	a.size = float32(max(math.Round(quarters*size)/quarters, 1))
	if m.IsUsersWord() && (m.Kind.IsRule() || m.Kind == memory.KindNote) {
		a.work = workNamed(m.Content)
		for _, of := range a.work {
			a.mark(byWork, string(of))
		}
		a.markCommands(completedBy("", a.work))
	}
}

// addMarks adds the file, the command and the error that a memory of the log is about.
func (a *analysis) addMarks() {
	m := &a.entry.Memory
	for _, file := range m.Files {
		a.addFile(file)
		a.mark(byFolder, path.Dir(cleanPath(file)))
	}
	a.addFiles(m.Content)
	a.mark(byCommand, shell.Normalize(m.Command))
	a.mark(byError, memory.OneLine(m.Signature))
}

// add adds the words of a field.
func (a *analysis) add(text string, count uint16) []english.Token {
	tokens := tokenize(text)
	for _, t := range tokens {
		a.terms[t.Term] = min(a.terms[t.Term]+count, maxQuarters)
		a.length += float32(count) / quarters
	}
	return tokens
}

func (a *analysis) mark(kind markKind, text string) {
	if one := (mark{kind, text}); text != "" && !slices.Contains(a.marks, one) {
		a.marks = append(a.marks, one)
	}
}

func (a *analysis) markCommands(commands []string) {
	for _, command := range commands {
		a.mark(byCommand, command)
	}
}

// addFiles adds the files and folders that the words of a text name.
func (a *analysis) addFiles(text string) {
	for _, field := range language.Fields(text) {
		if isFile(field.Word) {
			a.addFile(field.Word)
		}
	}
}

func (a *analysis) addFile(file string) {
	file = strings.Trim(cleanPath(file), "/")
	a.files = append(a.files, file)
	a.mark(byFile, path.Base(file))
}

// cleanPath returns a path in lower case, with slashes.
func cleanPath(file string) string {
	return path.Clean(strings.ToLower(strings.ReplaceAll(file, `\`, "/")))
}

// isFile reports whether a word names a file or a folder.
func isFile(word string) bool {
	name := word[strings.LastIndexAny(word, `/\`)+1:]
	dot := strings.LastIndexByte(name, '.')
	return len(word) > 2 && (dot > 0 && dot < len(name)-1 || dot == 0 && len(name) > 2 ||
		strings.Contains(strings.Trim(word, "/"), "/"))
}
