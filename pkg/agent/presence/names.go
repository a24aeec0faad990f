package presence

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// mostNames is the most names of one fact that are looked for.
const mostNames = 8

// fact is a fact with the names in its text: paths, parts of paths, and commands.
type fact struct {
	id             string
	names, inTitle []string
}

// namedBy are the facts that name something.
func namedBy(all []memory.Memory) []fact {
	var facts []fact
	for _, m := range all {
		if m.Scope == memory.ScopeUser || isAboutRemoval(m.Title+" "+m.Content) { // the user's name a thing of another project
			continue
		}
		f := fact{id: m.ID, inTitle: namesIn(m.Title)}
		f.names = append(f.names, f.inTitle...)
		for _, name := range slices.Concat(namesIn(m.Content), slices.Sorted(maps.Keys(m.Fingerprints))) {
			if !slices.Contains(f.names, name) && len(f.names) < mostNames {
				f.names = append(f.names, name)
			}
		}
		if len(f.names) > 0 {
			facts = append(facts, f)
		}
	}
	return facts
}

func namesOf(facts []fact) map[string]bool {
	names := map[string]bool{}
	for _, f := range facts {
		for _, name := range f.names {
			names[name] = true
		}
	}
	return names
}

// namesIn are the names in a text. Most words with a dot or a slash are no files; that is
// settled by looking for them: a name never found counts for nothing.
func namesIn(text string) []string {
	var names []string
	words := language.Fields(text)
	for i, word := range words {
		name := fileIn(word.Word)
		if name == "" {
			name = commandAt(words, i)
		}
		if name != "" && !isOver(words, i) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names[:min(len(names), mostNames)]
}

// fileIn is the path that a word may be, relative to some folder, with slashes; else empty.
func fileIn(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) ||
		strings.Contains(name, "://") || strings.ContainsAny(name, "<>{}*?$|=\\…()'\"`#,") || !strings.ContainsAny(name, "./") {
		return ""
	}
	if file, line, numbered := strings.Cut(name, ":"); numbered {
		if strings.Trim(line, "0123456789-:") != "" {
			return ""
		}
		name = file
	}
	isFolder := strings.HasSuffix(name, "/")
	name = path.Clean(name)
	switch {
	case !filepath.IsLocal(filepath.FromSlash(name)), name == ".", name[0] == '~', strings.Contains(name, "..."),
		name == ".git", strings.HasPrefix(name, ".git/"):
		return ""
	case isFolder:
		name += "/"
	case !strings.Contains(name, "/") && strings.HasSuffix(name, "."):
		return ""
	}
	return name
}

// runners are the programs whose commands a file of the project defines.
var runners = language.Set("make just task")

// runnersWithRun are those that need the word run before the name of a command.
var runnersWithRun = language.Set("npm pnpm yarn bun mise")

// commandAt is the command that ends at a word: "make build", "npm run lint".
func commandAt(words []language.Field, i int) string {
	target := words[i].Word
	if i == 0 || target == "" || strings.Trim(target, targetLetters) != "" || strings.HasPrefix(target, "-") {
		return ""
	}
	switch before := words[i-1]; {
	case before.Behind != "":
	case runners[before.Word]:
		return before.Word + " " + target
	case before.Word == "run" && i > 1 && words[i-2].Behind == "" && runnersWithRun[words[i-2].Word]:
		return words[i-2].Word + " run " + target
	}
	return ""
}

const targetLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.-"

// The words by which a text itself marks a name as gone or as a former one: those before the name,
// and those behind it.
var (
	overBefore = english.List("goneBefore")
	overBehind = english.List("goneBehind")
)

// removing are the beginnings of the words by which a fact is about the removal of things: it
// holds also while the named file is away.
var removing = slices.Collect(maps.Keys(english.List("removing")))

// isAboutRemoval reports whether a text has such a word.
func isAboutRemoval(text string) bool {
	for _, field := range language.Fields(text) {
		word := field.Lower()
		if word == "rm" || slices.ContainsFunc(removing,
			func(beginning string) bool { return strings.HasPrefix(word, beginning) }) {
			return true
		}
	}
	return false
}

// near is how many words before and behind a name are read.
const near = 3

// isOver reports whether a text states that the name at a place is gone: that remains true when the
// name is gone.
func isOver(words []language.Field, at int) bool {
	for i := at - 1; i >= max(0, at-near) && !words[i].Ends(".:;"); i-- {
		if overBefore[words[i].Lower()] || words[i].Word == "of" && i > 0 && words[i-1].Word == "instead" {
			return true
		}
	}
	for i := at + 1; i < min(len(words), at+1+near) && !words[i-1].Ends(".:;"); i++ {
		word := words[i].Lower()
		if overBehind[word] || word == "not" && i+1 < len(words) && strings.HasPrefix(words[i+1].Word, "exist") {
			return true
		}
	}
	return false
}
