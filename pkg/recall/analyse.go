package recall

import (
	"math"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// The weight of a word in each field, in quarters: an integer, so that sums stay exact.
const (
	quarters      = 4
	textQuarters  = 4
	cueQuarters   = 8
	fileQuarters  = 2
	quoteQuarters = 1
	maxQuarters   = 1 << 12
)

// The maximum numbers of bytes of a memory's content and of its detail that are indexed.
const (
	maxContentBytes = 16 << 10
	maxDetailBytes  = 1000
)

// analysis is an entry with its terms and keys, as Index.insert needs it.
type analysis struct {
	doc
	terms map[string]uint16 // quarters by term
	keys  []lookupKey
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
		a.addKeys()
	}
	return a
}

// addCues adds the cues, with their files, commands and types of work.
func (a *analysis) addCues() {
	for _, cue := range a.entry.Memory.Cues {
		terms := memory.Each(a.add(cue, cueQuarters), func(t english.Token) string { return t.Term })
		slices.Sort(terms)
		a.cues = append(a.cues, slices.Compact(terms))
		a.addKey(byCommand, shell.CoreOf(cue))
		if a.entry.Memory.Kind.IsRule() {
			a.addCommandKeys(completedBy(cue, nil))
		}
		a.addFiles(cue)
	}
	a.work = workNamed(strings.Join(a.entry.Memory.Cues, "\n"))
}

// addFields adds the command and files of a memory without cues, and sets its size. It sets the types of work that the user's rules and notes name.
func (a *analysis) addFields(content []english.Token) {
	m, length := &a.entry.Memory, a.length
	a.add(shell.CoreOf(m.Command), fileQuarters)
	for _, file := range m.Files {
		a.add(file, fileQuarters)
	}
	a.length = length // the command and the file names do not count
	size := 0.0
	for _, t := range content {
		size += t.Share
	}
	a.size = float32(max(math.Round(quarters*size)/quarters, 1))
	if m.IsUsersWord() && (m.Kind.IsRule() || m.Kind == memory.KindNote) {
		a.work = workNamed(m.Content)
		a.addCommandKeys(completedBy("", a.work))
	}
}

// addKeys adds the keys by which a memory that is not a fact is looked up: its files, command and error.
func (a *analysis) addKeys() {
	m := &a.entry.Memory
	for _, file := range m.Files {
		a.addFile(file)
	}
	a.addFiles(m.Content)
	a.addKey(byCommand, shell.CoreOf(m.Command))
	a.addKey(byError, memory.OneLine(m.Signature))
}

// add counts the words of a text with the given weight, in quarters, and returns them.
func (a *analysis) add(text string, count uint16) []english.Token {
	tokens := tokenize(text)
	for _, t := range tokens {
		a.terms[t.Term] = min(a.terms[t.Term]+count, maxQuarters)
		a.length += float32(count) / quarters
	}
	return tokens
}

func (a *analysis) addKey(kind keyKind, text string) {
	if one := (lookupKey{kind, text}); text != "" && !slices.Contains(a.keys, one) {
		a.keys = append(a.keys, one)
	}
}

func (a *analysis) addCommandKeys(commands []string) {
	for _, command := range commands {
		a.addKey(byCommand, command)
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
	a.addKey(byFile, path.Base(file))
}

// cleanPath returns a cleaned path in lower case, with forward slashes.
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

// tokenize splits a text into terms after folding it.
func tokenize(text string) []english.Token { return english.Tokenize(folded(text)) }

// folded removes what people leave out when they search: accents, vowel points, joiners and full-width forms. It
// keeps the vowel signs of Indic scripts, which are not accents, and returns ASCII texts unchanged.
func folded(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return text
	}
	bare := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Mn, r) && unicode.In(r, unicode.Inherited, unicode.Hebrew, unicode.Arabic) {
			return -1
		}
		return r
	}, norm.NFKD.String(text))
	return norm.NFC.String(letters.Replace(bare))
}

// letters replaces letters without a separable accent by the letters that people type instead.
var letters = strings.NewReplacer("ß", "ss", "ẞ", "SS", "đ", "d", "Đ", "D", "ł", "l", "Ł", "L", "ø", "o", "Ø", "O", "æ", "ae", "Æ", "Ae", "œ", "oe", "Œ", "Oe", "ı", "i", "ς", "σ", "♯", "#")

// completing lists commands that end a piece of work, in the form of shell.CoreOf. Before such a command runs, recall
// looks for rules with a cue that contains one of the words, and for rules of the user that name the type of work:
// models forget rules at this moment.
var completing = []struct {
	command, words string
	work           workType
}{
	{"git commit", "commit commits committing", "commits"},
	{"git push", "push pushes pushing", ""},
	{"gh pr create", "pr prs pull-request pull-requests", "pull requests"},
	{"glab mr create", "mr mrs merge-request merge-requests", "pull requests"},
	{"gh release create", "release releases releasing publish", "releases"},
	{"git tag", "release releases releasing tag", "releases"},
	{"npm publish", "release releases releasing publish", "releases"},
}

// completedBy returns the commands of completing before which a rule is shown: those with a word that the rule's cue contains,
// and those that end one of the given types of work.
func completedBy(cue string, work []workType) (commands []string) {
	words := strings.NewReplacer("pull request", "pull-request", "merge request", "merge-request").Replace(strings.ToLower(cue))
	for _, of := range completing {
		isNamed := slices.ContainsFunc(language.Fields(words), func(f language.Field) bool {
			return slices.Contains(strings.Fields(of.words), f.Word)
		})
		if isNamed || slices.Contains(work, of.work) {
			commands = append(commands, of.command)
		}
	}
	return commands
}

// completed returns the entry of the list completing with which the command core begins. If there is none, it returns core.
func completed(core string) string {
	for _, of := range completing {
		if strings.HasPrefix(core+" ", of.command+" ") {
			return of.command
		}
	}
	return core
}
