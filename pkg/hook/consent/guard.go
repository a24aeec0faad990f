package consent

import (
	"cmp"
	"slices"
	"strings"
)

// What only a person may do; a call that does it needs a person.
const (
	changesIt   = "change the memory's files or session transcripts, or pass them to another program"
	speaksForIt = "start memoryd or memory-mcp, which the client or the plugin starts itself"
	hidesModel  = "hide from memory that a model runs it"
	isTooLong   = "allow a command that is too long to be checked"
)

// File reports whether writing a file needs a person: the file lies in the memory's home, also through links, or is a
// session transcript, whose words count as the user's. verb names the action.
func (g *Guard) File(name string) (verb string, asks bool) {
	return changesIt, name != "" && g.placeOf(g.Dir, name) > around
}

// Patch is File for each file that a patch in Codex's format adds, changes, deletes or moves.
func (g *Guard) Patch(text string) (verb string, asks bool) {
	for line := range strings.Lines(text) {
		header, isHeader := strings.CutPrefix(strings.TrimSpace(line), "*** ")
		if _, name, names := strings.Cut(header, ":"); isHeader && names {
			if verb, asks := g.File(strings.TrimSpace(name)); asks {
				return verb, true
			}
		}
	}
	return "", false
}

// Line reports whether a shell line needs a person, and what it does. A line needs a person if it gives a command that only a person may give, starts a program
// of the memory other than its command line, or names a file of the memory or a transcript and does more than show it.
func (g *Guard) Line(line string) (verb string, asks bool) {
	r := g.reader()
	r.read(line, 0)
	if verb = r.judge(line); verb == "" && slices.ContainsFunc(r.calls, func(c call) bool { return powers[strings.ToLower(c.program())] }) {
		return g.PowerShell(line)
	}
	return verb, verb != ""
}

// PowerShell is Line for a line of PowerShell. In PowerShell each line that names a file of the memory needs a person: cmdlets hand paths
// to each other, and objects have methods that write.
func (g *Guard) PowerShell(line string) (verb string, asks bool) {
	r := g.reader()
	r.isPower = true
	var text strings.Builder
	for one := range strings.Lines(asShell.Replace(line)) {
		text.WriteString(r.expand(one))
	}
	r.read(text.String(), 0)
	verb = r.judge(line)
	switch names := func(word string) bool { return strings.Contains(strings.ToLower(line), word) }; {
	case verb != "":
	case r.placeIn(r.Dir, text.String()) == ours, names("memory_home"):
		verb = changesIt
	case hides(line) && names("memory"):
		verb = hidesModel
	}
	return verb, verb != ""
}

// judge returns what a line does that needs a person, or "".
func (r *reader) judge(text string) (verb string) {
	if r.left < 0 {
		return isTooLong
	}
	most, showsAll, readsAll, isStored, givesAll := elsewhere, true, true, false, false
	for _, c := range r.calls {
		if verb := r.decided(c, text); verb != "" {
			return verb
		}
		place, isShown := r.places(c), r.isShowing(c)
		if hidden := r.hidden(c); hidden > around {
			place, isShown = hidden, false
		}
		if place == around && !isShown {
			return changesIt
		}
		most = max(most, place)
		showsAll, readsAll = showsAll && isShown, readsAll && (isShown || r.onlyReads(c))
		isStored = isStored || isWritten(c.Writes)
		givesAll = givesAll || isMemory(c.name()) && printsAll(c.words)
	}
	switch {
	case givesAll && (isStored || !showsAll):
		return writesAll
	case most == ours && (isStored || !showsAll), most == transcript && (isStored || !readsAll):
		return changesIt
	}
	return ""
}

// places returns the most guarded of the places that a command names and the one in which it runs.
func (r *reader) places(c call) place {
	dir, most, words := c.dir, r.placeOf(c.dir, "."), c.all
	isGit := c.program() == "git" && !r.isShowing(c)
	if most == around && !isGit {
		most = elsewhere
	}
	if isMemory(c.name()) || measures[c.program()] {
		words = nil // arguments of memory are data
	}
	for i, word := range words {
		isTarget := i == len(words)-1 && copiers[c.program()] && !slices.ContainsFunc(words, isDeep) || c.program() == "mkdir"
		if place := max(r.named(c, dir, word), r.named(c, c.dir, word)); place != around || !isTarget {
			most = max(most, place)
		}
		if i > 0 && words[i-1] == "-C" {
			dir = r.absolute(dir, word)
		}
	}
	for _, file := range slices.Concat(c.Reads, c.Writes) {
		most = max(most, r.placeOf(c.dir, r.expand(file)))
	}
	if isGit {
		most = max(most, r.placeOf(c.dir, cmp.Or(r.vars["GIT_WORK_TREE"], r.Getenv("GIT_WORK_TREE"))))
		if gitCommand(c.words) == "clean" && r.contains(dir, ".", r.ours) {
			most = max(most, around)
		}
	}
	for _, text := range c.Given {
		most = max(most, r.named(c, c.dir, text))
	}
	return most
}

// hidden returns the place that a command names, but not as a file that it reads: in a variable for its program, such as a pager, or in
// the script of sed.
func (r *reader) hidden(c call) (most place) {
	for _, value := range c.sets {
		if len(c.words) > 0 && !isMemory(c.name()) && (c.program() != "export" || isText(value)) {
			most = max(most, r.placeIn(c.dir, value))
		}
	}
	for _, word := range c.words {
		if file := r.absolute(opened(c.dir), opened(word)); c.program() == "sed" && !slices.ContainsFunc(append(slices.Clone(r.ours), r.transcripts...), func(folder string) bool { return r.lies(file, folder) }) {
			most = max(most, r.placeIn(c.dir, word))
		}
	}
	return most
}

// named returns the place that a word of a command names. A sentence for people counts only if the line runs code.
func (r *reader) named(c call, dir, word string) place {
	if isText(word) && !r.runs && (showing[c.program()] || r.isMessage(c, word)) {
		return elsewhere
	}
	place, program := r.placeIn(dir, word), strings.ToLower(c.program())
	_, value, _ := strings.Cut(word, "=")
	switch folders := r.ours; {
	case place == around && recursive[program]:
		return ours // it reads all files in there
	case place == elsewhere && takesAll[program] && (r.contains(dir, word, folders) || r.mayContain(word)), place == elsewhere && fills[program] && r.mayContain(word):
		return around
	case place == elsewhere && (fills[program] || mounts[program]):
		for _, folder := range []string{word, value, strings.SplitN(word, ":", 2)[0]} {
			if r.contains(dir, folder, folders) && !r.isWithin(r.user(), r.absolute(dir, folder)) {
				return around
			}
		}
	}
	return place
}

// isMessage reports whether a word of a command is a text for people or for another model: a commit's message, an issue's text, a prompt.
func (r *reader) isMessage(c call, word string) bool {
	at := slices.Index(c.all, word)
	return at < 0 || messaged[c.program()] && gitCommand(c.words) != "config" && gitCommand(c.words) != "remote" || messageFlags[c.all[max(at-1, 0)]]
}

// isDeep reports whether a flag makes a program copy whole folders.
func isDeep(word string) bool {
	return slices.ContainsFunc([]string{"-r", "-R", "-a", "--recursive", "--archive", "--parents"}, func(flag string) bool { return hasFlag(word, flag) })
}

// decided returns what a command does that only a person may do, or that only the client or the memory itself does, or "".
func (r *reader) decided(c call, text string) string {
	words := c.all
	if showing[c.program()] {
		words = nil
	}
	for i, word := range words {
		isStarted := i == 0 || wrappers[nameOf(words[0])] || shells[nameOf(words[0])]
		if isMemory(word) {
			rest := words[i+1 : min(i+1+mostWords, len(words))]
			verb, is := asksPerson(rest)
			isCleared := slices.ContainsFunc(words[:i], func(word string) bool { return word == "-i" || word == "-" || word == "--ignore-environment" }) // env -i
			if !is && len(rest) > 0 && (isCleared || hides(text)) {
				verb = hidesModel
			}
			return verb // the other words are data
		}
		if isStarted && ownPrograms[nameOf(word)] {
			return speaksForIt
		}
	}
	if c.program() == "apply_patch" || c.program() == "applypatch" {
		for _, patch := range slices.Concat(c.Given, c.words) {
			if verb, asks := r.Patch(patch); asks {
				return verb
			}
		}
	}
	return ""
}

// hides reports whether a line names a variable that marks the model's shell, as one that drops it does.
func hides(text string) bool {
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(strings.ToUpper(text), mark) })
}

// marks are the variables that clients set to mark the shell of their model.
var marks = []string{"CLAUDECODE", "CODEX_THREAD_ID", "CODEX_SANDBOX"}

// isShowing reports whether a command only shows something, or only runs a text whose commands were all read.
func (r *reader) isShowing(c call) bool {
	program, words := c.program(), c.words
	unless, is := showingWith[program]
	switch {
	case len(words) == 0, c.isRead, isMemory(c.name()), changesFolder[program], showing[program], r.isPower && (showingCmdlets[strings.ToLower(program)] || changesFolder[strings.ToLower(program)]):
		return true
	case program == "uniq": // its second file is written
		return len(slices.DeleteFunc(slices.Clone(words[1:]), func(word string) bool { return strings.HasPrefix(word, "-") })) < 2
	case program == "git" && !gitShows[gitCommand(words)], program == "gh" && !slices.ContainsFunc(words[:min(3, len(words))], func(word string) bool { return ghShows[word] }):
		return false
	}
	return is && !slices.ContainsFunc(words[1:], func(word string) bool {
		return slices.ContainsFunc(unless, func(told string) bool {
			return hasFlag(word, told) || strings.ContainsAny(told, "(|> ") && strings.Contains(word, told)
		})
	})
}

// onlyReads reports whether a command reads transcripts without changing them: it makes a folder beside them, copies them elsewhere, or
// is an interpreter whose code in the line does not write.
func (r *reader) onlyReads(c call) bool {
	program, last := c.program(), c.words[len(c.words)-1]
	hasAny := func(flags ...string) bool {
		return slices.ContainsFunc(c.words, func(word string) bool {
			return slices.ContainsFunc(flags, func(flag string) bool { return hasFlag(word, flag) })
		})
	}
	switch {
	case program == "mkdir":
		return true
	case program == "cp", program == "rsync":
		return !strings.ContainsAny(last[:1], "-$") && !strings.Contains(last, ":") && !hasAny("-t", "--target") && r.placeOf(c.dir, last) == elsewhere
	case isInterpreter(program): // -i, -pi and -i.bak write what they read
		return !hasAny("-i") && !slices.ContainsFunc(slices.Concat(c.words, c.Given), func(text string) bool { return isText(text) && writes(text) })
	}
	return false
}

// writes reports whether code may write, or may start a program that does.
func writes(code string) bool {
	code = strings.ToLower(code)
	return slices.ContainsFunc(writings, func(writing string) bool { return strings.Contains(code, writing) })
}

// writings are the texts by which code writes a file, or starts a program.
var writings = []string{"'w", "'a'", "'x", `"w`, `"a"`, `"x`, `">`, "'>", "write", "append", "copy", "cp(", "move", "rename", "os.replace", "link", "extract", "unpack", "system", "exec", "spawn", "subprocess", "popen"}
