package consent

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// Guard finds tool calls by which a model would decide in a person's place. It reads the words of a call, and runs nothing. It does not work out what the commands of a line do together: a line that names a file of the memory may
// only show it. What it cannot read, such as encoded text, stays unseen; then the program memory refuses what only a person may do.
type Guard struct {
	Home    string   // the memory's home
	Folders []string // the other folders of the memory: the plugin, and where events wait if the home is not writable
	Dir     string   // the directory in which the command runs
	Getenv  func(string) string

	ours        []string // Home, Folders, and the homes of users who have chosen none
	homes       []string // Home, and those of users who have chosen none
	transcripts []string // the folders in which clients keep transcripts
	known       *lookup  // what was found out about files while one call is read, or nil
}

// NewGuard returns a guard. It guards the home and the transcripts that variables name, and those of a user without such variables,
// because a repository's settings may set variables.
func NewGuard(home string, folders []string, dir string, getenv func(string) string) Guard {
	g := Guard{Home: home, Folders: folders, Dir: dir, Getenv: getenv, homes: []string{home}}
	claude, codex := []string{paths.ClientDir(getenv)}, []string{getenv("CODEX_HOME")}
	for _, user := range []string{g.user(), accountHome()} {
		claude, codex = append(claude, filepath.Join(user, ".claude")), append(codex, filepath.Join(user, ".codex"))
	}
	for i := range claude {
		g.homes = append(g.homes, filepath.Join(claude[i], usualName))
		g.transcripts = append(g.transcripts, filepath.Join(claude[i], "projects"))
		if codex[i] != "" {
			g.transcripts = append(g.transcripts, filepath.Join(codex[i], "sessions"))
		}
	}
	g.ours = append(slices.Clone(folders), g.homes...)
	return g
}

// place says where a path leads.
type place int

const (
	elsewhere  place = iota
	around           // a folder that contains files of the memory or transcripts, other than the user's whole home directory
	transcript       // a client's session transcript. The prompts in transcripts are imported as the user's words
	ours             // a file in a folder of the memory
)

// usualName is the name of a home that nobody has chosen.
const usualName = "surrealdb-memory"

// mostPath is the largest size in bytes of a path, and of a variable's value.
const mostPath = 4096

// unknown stands for a part of a path that only the shell knows.
const unknown = "**"

// placeIn is placeOf for a text, which may be code. Code may put a path together from the names of its folders.
func (g *Guard) placeIn(dir, text string) place {
	place := g.placeOf(dir, text)
	names := strings.FieldsFunc(text, func(c rune) bool { return c == '/' || !strings.ContainsRune(plain, c) })
	has := func(name string) bool { return slices.Contains(names, name) }
	isHome := func(home string) bool {
		return has(filepath.Base(home)) && (has(filepath.Base(filepath.Dir(home))) || strings.Contains(text, "config.json"))
	}
	switch {
	case place == ours, isText(text) && slices.ContainsFunc(g.homes, isHome):
		return ours
	case (has("projects") || has("sessions")) && strings.Contains(text, ".jsonl") && isText(text):
		return max(place, transcript)
	}
	return place
}

// plain are the characters of a word that are not syntax in any language.
const plain = shell.NameLetters + "-./~"

// placeOf returns the place that a word names in a directory.
func (g *Guard) placeOf(dir, word string) place {
	switch {
	case word == "":
		return elsewhere
	case g.names(dir, word, g.ours):
		return ours
	case g.names(dir, word, g.transcripts):
		return transcript
	case g.contains(dir, word, append(slices.Clone(g.transcripts), g.Home)) && !g.isWithin(g.user(), g.absolute(dir, word)):
		return around
	}
	return elsewhere
}

func (g *Guard) user() string { return cmp.Or(g.Getenv("HOME"), g.Getenv("USERPROFILE")) }

// contains reports whether a word names a folder, perhaps with wildcards, in which one of some folders lies.
func (g *Guard) contains(dir, word string, folders []string) bool {
	folder := g.absolute(dir, opened(word))
	return word != "" && len(word) <= mostPath && slices.ContainsFunc(folders, func(own string) bool {
		names, depth := strings.Split(own, string(filepath.Separator)), strings.Count(folder, string(filepath.Separator))+1
		return g.isWithin(own, folder) || depth <= len(names) && matches(folder, strings.Join(names[:depth], string(filepath.Separator)))
	})
}

// mayContain is contains for a path with parts that only the shell knows, if it ends in the folder around the home, such as .claude.
func (g *Guard) mayContain(word string) bool {
	above := filepath.Base(filepath.Dir(g.Home))
	return strings.HasPrefix(above, ".") && strings.HasPrefix(opened(word), unknown) && filepath.Base(opened(word)) == above
}

// absolute returns the absolute path that a word means in a directory. Every ~NAME counts as the user's home directory.
func (g *Guard) absolute(dir, word string) string {
	if strings.HasPrefix(word, "~") {
		_, rest, _ := strings.Cut(word, "/")
		word = g.user() + "/" + rest
	}
	if filepath.IsAbs(word) {
		return filepath.Clean(word)
	}
	return filepath.Join(dir, word)
}

// names reports whether a text names a file in one of some folders. The path may be the text, or stand in it behind any sign, as in
// UNIX-CONNECT:PATH, -oPATH or f('PATH'), and may have wildcards.
func (g *Guard) names(dir, text string, folders []string) bool {
	dir, text = opened(dir), opened(text)
	paths := []string{text, withoutBraces(text)}
	for _, part := range strings.FieldsFunc(strings.Join(paths, " "), func(c rune) bool { return !strings.ContainsRune(plain+"*?", c) }) {
		if at := strings.IndexAny(part, "/~"); at >= 0 {
			paths = append(paths, part, part[at:], strings.TrimLeft(part, "-")[min(1, at):])
		}
	}
	slices.Sort(paths)
	return slices.ContainsFunc(slices.Compact(paths), func(path string) bool {
		file := g.absolute(dir, path)
		return path != "" && len(path) <= mostPath && slices.ContainsFunc(folders, func(folder string) bool { return g.lies(file, folder) })
	})
}

// isWithin is the function isWithin, which asks the file system about each path once while one line is read.
func (g *Guard) isWithin(path, folder string) bool {
	if g.known == nil {
		return isWithin(path, folder)
	}
	return g.known.isWithin(path, folder)
}

// lies reports whether a file, whose path may have wildcards and unknown parts, is a folder of the memory or of transcripts, or lies in it.
// The client's own memory and the results of tools, which lie beside the transcripts, do not count.
func (g *Guard) lies(file, folder string) bool {
	isIn := strings.HasPrefix(file+"/", folder+"/") || g.isWithin(file, folder)
	switch parent := filepath.Dir(folder); {
	case strings.Contains(file, unknown):
		isIn = strings.HasPrefix(file, parent+"/") && !g.isWithin(g.user(), parent) && matches(file, folder) || mayLie(file, folder)
	case strings.ContainsAny(file, "*?["):
		isIn = isIn || matches(file, folder)
	}
	if filepath.Base(folder) != "projects" || filepath.Ext(file) == ".jsonl" {
		return isIn
	}
	_, below, _ := strings.Cut(file, "/"+filepath.Base(folder)+"/")
	names := strings.Split(below, "/")
	return isIn && !slices.Contains(names, "memory") && !slices.Contains(names, "tool-results")
}

// mayLie reports whether the last two names of a folder, or the usual name of a home, stand in a path behind an unknown part.
func mayLie(file, folder string) bool {
	parts, name, above := strings.Split(file, "/"), filepath.Base(folder), filepath.Base(filepath.Dir(folder))
	is := func(pattern, name string) bool { // an unknown part is no name
		matched, err := filepath.Match(pattern, name)
		return err == nil && matched && pattern != unknown
	}
	from := slices.IndexFunc(parts, func(part string) bool { return strings.Contains(part, unknown) })
	for i := from; i < len(parts); i++ {
		if parts[i] == usualName && name == usualName || i > 0 && is(parts[i], name) && is(parts[i-1], above) && (parts[i] == name || parts[i-1] == above) {
			return true
		}
	}
	return false
}

// matches reports whether a pattern can match a folder or a file in it.
func matches(pattern, folder string) bool {
	parts, names := strings.Split(pattern, string(filepath.Separator)), strings.Split(folder, string(filepath.Separator))
	if len(parts) < len(names) {
		return false
	}
	for i, name := range names {
		if is, err := filepath.Match(parts[i], name); err != nil || !is {
			return false
		}
	}
	return true
}

// withoutBraces returns a path with * in the place of alternatives such as {a,b}.
func withoutBraces(path string) string {
	before, rest, opens := strings.Cut(path, "{")
	inside, after, closes := strings.Cut(rest, "}")
	if !opens || !closes || !strings.Contains(inside, ",") {
		return path
	}
	return before + "*" + withoutBraces(after)
}

// isText reports whether a word may be a command, code or a sentence, and not the name of a file.
func isText(word string) bool { return strings.ContainsAny(opened(word), " \t\n;(") }

// opened returns a text with unknown in the place of each variable and substitution, and of the folders above these.
func opened(text string) string {
	var all strings.Builder
	for text != "" {
		at := strings.IndexAny(text, "$`")
		if at < 0 {
			break
		}
		all.WriteString(text[:at])
		_, length := shell.Substituted(text[at:])
		if length == 0 {
			length = 1 + variable(text[at+1:])
		}
		if length > 1 {
			all.WriteString(unknown)
		}
		text = text[at+length:]
	}
	text = all.String() + text
	for strings.Contains(text, unknown+"/..") {
		text = strings.ReplaceAll(text, unknown+"/..", unknown)
	}
	return text
}

// variable returns the length of a variable's name, with its braces, at the beginning of a text.
func variable(text string) int {
	switch {
	case text == "":
		return 0
	case text[0] == '{':
		return cmp.Or(strings.IndexByte(text, '}')+1, len(text))
	case strings.IndexByte("@*#?!$-", text[0]) >= 0:
		return 1
	}
	return len(text) - len(strings.TrimLeft(text, shell.NameLetters))
}
