package consent

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// Guard finds tool calls by which a model would decide in a person's place. It reads the call and the scripts that the
// call names, and runs nothing, so it cannot know what other programs do.
type Guard struct {
	Home    string   // the memory's home
	Folders []string // the other folders of the memory: the plugin, and where events wait if the home is not writable
	Dir     string   // the directory in which the command runs
	Getenv  func(string) string

	known *lookup // what was found out about files while one call is read, or nil
}

const (
	mostScript    = 64 << 10 // bytes of one script
	mostRead      = 1 << 20  // bytes of all texts that are read for one command
	mostNested    = 6        // nesting of scripts, substitutions and arguments
	mostFiles     = 2        // nesting of scripts that start scripts
	mostPath      = 4096     // bytes of a path, and of a variable's value
	mostVariables = 64       // variables in one word
	mostWords     = 32       // words of a memory command
	changesIt     = "changes the files of the memory, or the transcripts that it reads"
	speaksForIt   = "starts a program of the plugin that only the client or the plugin itself starts"
)

// File reports whether writing a file needs a person: the file lies in the memory's home, also through links, or is a
// session transcript, whose words count as the user's. verb names the action.
func (g *Guard) File(name string) (verb string, asks bool) {
	return changesIt, name != "" && g.isKept(g.Dir, name)
}

// Patch is File for each file that a patch in Codex's format adds, changes, deletes or moves.
func (g *Guard) Patch(text string) (verb string, asks bool) {
	for line := range strings.Lines(text) {
		header, isHeader := strings.CutPrefix(strings.TrimSpace(line), "*** ")
		if _, name, names := strings.Cut(header, ":"); isHeader && names && g.isKept(g.Dir, strings.TrimSpace(name)) {
			return changesIt, true
		}
	}
	return "", false
}

// Line reports whether a shell line gives a command that needs a person, starts a script with such a command, or writes
// into the memory's home. verb names the action.
func (g *Guard) Line(line string) (verb string, asks bool) {
	r := g.reader()
	r.line(line, 0, 0)
	return r.verb, r.verb != ""
}

// reader returns a reader that has read nothing. It knows the variables for the user's folders that only Windows sets, too.
func (g *Guard) reader() *reader {
	home := g.user()
	r := &reader{Guard: *g, vars: map[string]string{}, made: map[string]string{}, left: mostRead}
	r.known = newLookup()
	for name, folder := range map[string]string{"HOME": "", "USERPROFILE": "", "HOMEPATH": "", "APPDATA": "/AppData/Roaming", "LOCALAPPDATA": "/AppData/Local"} {
		r.vars[name] = cmp.Or(g.Getenv(name), home+folder)
	}
	r.vars["HOMEDRIVE"] = g.Getenv("HOMEDRIVE")
	return r
}

// isWithin is the function isWithin, which asks the file system about each path once while one line is read.
func (g *Guard) isWithin(path, folder string) bool {
	if g.known == nil {
		return isWithin(path, folder)
	}
	return g.known.isWithin(path, folder)
}

func (g *Guard) user() string { return cmp.Or(g.Getenv("HOME"), g.Getenv("USERPROFILE")) }

// reader reads one shell line. The fields hold what earlier commands of the line have done.
type reader struct {
	Guard
	vars    map[string]string // values of assigned variables, and of aliases under "alias NAME"
	made    map[string]string // texts of the files that the line writes
	fed     []string          // texts that a later shell in the line may read
	files   []string          // files that a later shell in the line may read
	drops   bool              // a program runs without the variables that mark the model's shell
	shows   bool              // a command prints everything
	gave    amount            // how much the commands of this text have given so far
	piped   amount            // how much a pipe leads to this command
	named   string            // a file or folder of the memory whose name a pipe leads to this command, or ""
	back    string            // the directory before the last cd
	isPower bool              // the text is PowerShell's
	left    int               // number of bytes that may still be read
	verb    string            // what a found command does, or ""
}

// line reads a shell text. depth counts all nesting around it, files only the scripts around it.
func (r *reader) line(text string, depth, files int) {
	if depth > mostNested || len(text) > r.left || r.verb != "" {
		return
	}
	r.left -= len(text)
	dir, piped, named := r.Dir, r.piped, r.named
	r.piped, r.named = nothing, ""
	all := shell.Simples(text)
	for _, one := range all {
		if isClosing(one) {
			r.give(shell.Simple{Reads: one.Reads}, nil) // the commands before it read them
		}
	}
	for _, one := range all {
		before := r.gave
		if !isClosing(one) { // else all commands before it may belong to its group
			r.gave = nothing
		}
		for _, run := range one.Runs {
			r.line(run, depth+1, files)
		}
		r.simple(one, depth, files)
		r.found(writesAll, (r.gave == transcripts || r.shows) && isWritten(one.Writes) || r.gave > nothing && isSent(one.Writes))
		if r.verb != "" {
			return
		}
		if r.piped = r.gave; !one.Pipes {
			r.piped, r.named = nothing, ""
		}
		r.gave = max(r.gave, before)
	}
	r.piped, r.named = piped, named
	if depth > 0 {
		r.Dir = dir // a subshell's cd ends with it
	}
}

func (g *Guard) PowerShell(line string) (verb string, asks bool) {
	r := g.reader()
	r.power(line, 0, 0)
	return r.verb, r.verb != ""
}

// power reads a text of PowerShell as a shell text. A cmdlet can hand a path to another one, and methods of objects can write.
// So every text that names the home needs a person.
func (r *reader) power(text string, depth, files int) {
	was := r.isPower
	r.isPower = true
	defer func() { r.isPower = was }()
	for _, mark := range marks {
		r.drops = r.drops || strings.Contains(strings.ToUpper(text), "ENV:"+mark)
	}
	var lines []string
	for line := range strings.Lines(fromPowerShell(text)) {
		lines = append(lines, r.expand(line))
	}
	text = spaced(strings.Join(lines, ""))
	r.line(text, depth+1, files)
	r.joined(commandsIn(text))
	if r.verb == "" {
		r.found(changesIt, strings.Contains(strings.ToUpper(text), "MEMORY_HOME") || r.buildsHome(text) || r.isKept(r.Dir, text))
	}
}

// commandsIn returns the commands of a text, also of its substitutions.
func commandsIn(text string) (all []shell.Simple) {
	for _, one := range shell.Simples(text) {
		all = append(all, one)
		for _, run := range one.Runs {
			all = append(all, commandsIn(run)...)
		}
	}
	return all
}

// joined reads commands of PowerShell for the words of a decision. A command may have its words as one text. If a command names our
// program without words, or behind another program, the words may be anywhere in the line: in a variable, an array, before the name.
func (r *reader) joined(commands []shell.Simple) {
	var all []string
	names := false
	for _, one := range commands {
		words := strings.FieldsFunc(strings.Join(one.Words, " "), func(c rune) bool { return !strings.ContainsRune(plain+"$@", c) })
		if len(words) > 1 && isMemory(one.Words[0]) && !strings.Contains(one.Words[0], "=") && !isExpandable(words[1]) {
			r.found(asksPerson(words[1:]))
			continue
		}
		all = append(all, words...)
		names = names || slices.ContainsFunc(one.Words, func(word string) bool {
			return isMemory(word[strings.LastIndexAny(word, "=:")+1:]) // $x=memory, -FilePath:memory
		})
	}
	for i := range all {
		if names && r.verb == "" {
			r.found(decides(all[i:min(i+6, len(all))]))
		}
	}
}

// encoded reads a word as the argument of -EncodedCommand.
func (r *reader) encoded(word string, depth, files int) {
	if data, err := base64.StdEncoding.DecodeString(word); err == nil && len(data) > 0 {
		text, _ := io.ReadAll(hookio.UTF8(bytes.NewReader(data))) // reading from memory cannot fail
		r.power(string(text), depth, files)
	}
}

// reserved are the shell's keywords that may precede a command.
var reserved = shell.SetOf(`if then else elif do while until ! { time coproc`)

func (r *reader) simple(one shell.Simple, depth, files int) {
	for _, file := range one.Writes {
		if r.isKept(r.Dir, r.expand(file)) {
			r.verb = changesIt
			return
		}
	}
	line := r.command(one.Words)
	if isListed(line) && r.takes(line) {
		line = append(line, r.named)
	} else if len(line) > 1 && line[0] == "read" && r.named != "" {
		r.vars[line[len(line)-1]] = r.named
	}
	isKept := func(word string) bool { return r.keeps(word, line, false) > nothing }
	if r.found(writesAll, r.takes(line) && r.gets(line) || isSending(line) && slices.ContainsFunc(filesIn(line), isKept)); r.verb != "" || len(line) == 0 {
		return
	}
	r.give(one, line)
	if folder := startFolder(line); folder != "" {
		dir := r.Dir
		r.Dir = r.absolute(dir, folder)
		defer func() { r.Dir = dir }()
	}
	if words := started(line); len(words) > 0 && changesFolder[words[0]] { // command cd
		line = words
	}
	program := nameOf(line[0])
	if script, is := r.vars["alias "+line[0]]; is && depth < mostNested {
		delete(r.vars, "alias "+line[0])
		r.line(script+" "+strings.Join(line[1:], " "), depth+1, files)
	}
	switch {
	case changesFolder[program], r.isPower && changesFolder[strings.ToLower(program)]:
		r.changeFolder(program, line)
	case program == "alias":
		for _, word := range line[1:] {
			if name, value, is := strings.Cut(word, "="); is {
				r.vars["alias "+name] = value
			}
		}
	case program == "unset", slices.Contains([]string{"export", "declare", "typeset"}, program) && (slices.Contains(line, "-n") || slices.Contains(line, "+x")):
		r.drops = r.drops || slices.ContainsFunc(line, isMark)
	case program == "for": // a word that names a kept file stands for all of them
		if at := slices.IndexFunc(line, func(word string) bool { return r.isKept(r.Dir, word) }); at > 2 {
			r.vars[line[1]] = line[at]
		}
	case (program == "git" || !r.isShowing(program, line) && !isMemory(line[0])) && r.isKept(r.Dir, "."), program == "git" && r.changesKept(program, line, false, false), r.changesTree(line):
		r.verb = changesIt // cd HOME && patch, git -C HOME checkout
	case r.isShowing(program, line):
		r.shown(one, line)
	default:
		r.run(program, one, line, depth, files)
	}
}

// command returns the words of a command with variables expanded, without keywords and assignments, which it stores in r.vars.
func (r *reader) command(given []string) []string {
	var line []string
	for _, word := range given {
		isVariable := strings.Contains(word, "$")
		if word = r.expand(word); word == "" || len(line) == 0 && reserved[word] {
			continue
		}
		if name, value, _ := strings.Cut(word, "="); shell.IsAssignment(word) && (len(line) == 0 || line[0] == "export" || line[0] == "env") {
			if len(value) <= mostPath {
				r.vars[name] = value
			}
			r.drops = r.drops || isMark(name)
			continue
		}
		if inside, is := strings.CutPrefix(word, "{"); is && strings.HasSuffix(inside, "}") && strings.Contains(inside, ",") {
			line = append(line, strings.Split(strings.TrimSuffix(inside, "}"), ",")...)
			continue
		}
		if isVariable && !isExpandable(word) && (len(line) == 0 || isMemory(line[0])) { // the shell splits it
			line = append(line, strings.Fields(word)...)
			continue
		}
		line = append(line, word)
	}
	return line
}

// changeFolder reads a cd, which without words leads home.
func (r *reader) changeFolder(program string, line []string) {
	to := line[len(line)-1]
	if known := guessed(to); strings.ContainsAny(known, "/~") {
		to = known
	}
	switch {
	case (len(line) == 1 || to == "--") && program == "cd":
		to = r.user()
	case to == "-", program == "popd":
		to = cmp.Or(r.back, r.Dir)
	case len(line) == 1:
		return
	}
	r.back, r.Dir = r.Dir, r.absolute(r.Dir, to)
	r.vars["OLDPWD"] = r.back
}

// gets reports whether a command, which does more than show, gets so much of the memory that a person must decide.
func (r *reader) gets(line []string) bool {
	program := nameOf(started(line)[0])
	return r.shows || !r.isPower && !isInterpreter(program) && (r.piped > nothing || r.gave == some)
}

// give adds what a command prints of the memory to r.gave.
func (r *reader) give(one shell.Simple, line []string) {
	isListed := isListed(line)
	if line = started(line); len(line) == 0 {
		line = []string{"cat"} // xargs alone
	}
	program, own, isCode := nameOf(line[0]), printed(line), isInterpreter(nameOf(line[0]))
	words := filesIn(line)
	if isListed {
		words = append(words, r.named)
	}
	for _, file := range one.Reads {
		words = append(words, r.expand(file))
	}
	for _, word := range words {
		own = max(own, r.keeps(word, line, one.Pipes))
		if naming[program] && own > nothing {
			r.named, own = word, nothing
		}
	}
	if counting[program] || isCode && !one.Pipes { // prints no text of what it reads, or what it makes of it
		r.piped, own = nothing, nothing
	}
	r.shows = r.shows || own == everything
	r.gave = max(r.gave, r.piped, own)
}

// keeps returns how much of the memory is in the file or folder that a word of a command names.
func (r *reader) keeps(word string, line []string, isPiped bool) amount {
	switch {
	case r.keepsWords(word), naming[nameOf(line[0])] && r.isHome(r.Dir, word):
		return everything
	case r.isTranscript(r.Dir, word), r.isAround(word) && !isTarget(line, word), isPiped && packers[nameOf(line[0])] && r.isWithin(r.Home, r.absolute(r.Dir, word)):
		return transcripts
	}
	return nothing
}

// keepsWords reports whether a word names a file of the home, or a waiting event, that has words or keys: not the settings and the logs.
func (r *reader) keepsWords(word string) bool {
	folders := slices.DeleteFunc(r.folders(), func(folder string) bool { return folder != r.Home && filepath.Base(folder) != "spool" })
	file := r.absolute(r.Dir, word)
	return filepath.Base(file) != "config.json" && !strings.Contains(file+"/", "/logs/") && r.names(r.Dir, word, folders)
}

// isAround reports whether a word names a folder that contains the memory's home. The user's whole home directory does not count.
func (r *reader) isAround(word string) bool {
	folder := r.absolute(r.Dir, word)
	return word != "" && len(word) <= mostPath && r.isWithin(r.Home, folder) && !r.isWithin(r.user(), folder)
}

// changesTree reports whether a call of git changes files, or adds them, in a folder that contains the memory's home. In the user's
// whole home directory only removing files counts.
func (r *reader) changesTree(line []string) bool {
	line = started(line)
	if len(line) == 0 || nameOf(line[0]) != "git" {
		return false
	}
	folders, command := gitCommand(line)
	dir := r.Dir
	for _, folder := range append(folders, r.expand("${GIT_WORK_TREE:-}")) {
		dir = r.absolute(dir, folder)
	}
	return gitWrites[command] && (r.isAround(dir) || r.isKept(dir, ".") || slices.ContainsFunc(line, r.isAround)) || command == "clean" && (r.holds(dir) || r.mayHold(dir))
}

// shown stores the output of a command that only shows something, because a later shell in the line may read it.
func (r *reader) shown(one shell.Simple, line []string) {
	texts := slices.Clone(one.Given)
	if echoing[nameOf(line[0])] {
		texts = append(append(texts, strings.Join(line[1:], " ")), line[1:]...)
	} else { // the words without blanks are flags, and names of files
		texts = append(texts, slices.DeleteFunc(slices.Clone(line[1:]), func(word string) bool { return !isText(word) })...)
	}
	for i, text := range texts {
		texts[i] = strings.ReplaceAll(text, `\n`, "\n") // printf, echo -e
	}
	r.fed, r.files = append(r.fed, texts...), append(append(r.files, line[1:]...), one.Reads...)
	for _, file := range one.Writes {
		if file = r.absolute(r.Dir, r.expand(file)); len(r.made[file]) <= mostScript {
			r.made[file] += strings.Join(texts, "\n") + "\n"
		}
	}
}

// run reads a command that may change something, or may start such a command.
func (r *reader) run(program string, one shell.Simple, line []string, depth, files int) {
	if isMemory(line[0]) && !r.drops { // the arguments of memory are data, not commands
		r.found(asksPerson(line[1:min(1+mostWords, len(line))]))
		return
	}
	isDropped := r.drops || slices.ContainsFunc(line, func(word string) bool { return isMark(strings.TrimPrefix(strings.TrimPrefix(word, "--unset="), "-u")) }) ||
		program == "env" && (slices.Contains(line, "-i") || slices.Contains(line, "-") || slices.Contains(line, "--ignore-environment"))
	before := r.drops
	r.drops = isDropped // also applies to the programs that this command starts
	defer func() { r.drops = before }()
	isCode, isFed, isPowered := false, false, false
	for i, word := range line {
		name := nameOf(word)
		if powers[strings.ToLower(name)] && !isPowered {
			isPowered = true // r.power reads the other words
			r.power(strings.Join(line[i+1:], " "), depth, files)
			r.encoded(line[len(line)-1], depth, files)
		}
		isCode, isFed = isCode || isInterpreter(name), isFed || shells[name] || feeders[name] && (name != "make" || slices.ContainsFunc(line, func(word string) bool { return hasFlag(word, "-f") }))
		if rejoining[name] && isFirst(line[:i]) {
			r.line(strings.Join(line[i+1:], " "), depth+1, files)
		}
	}
	if isListed(line) {
		for i, word := range line {
			if strings.HasPrefix(word, ":::") { // parallel
				line[i] = unknown
			}
		}
		line = append(line, unknown)
	}
	for i, word := range line {
		if r.verb != "" {
			return
		}
		rest := line[i+1 : min(i+1+mostWords, len(line))]
		isStarted := i == 0 || wrappers[program] || shells[program]
		switch {
		case isStarted && r.isOwnProgram(word):
			r.verb = speaksForIt
		case isMemory(word) && isDropped && len(rest) > 0:
			r.verb = "runs memory in a way that hides that a model started it"
		case isMemory(word):
			r.found(asksPerson(rest))
		case isExpandable(word), i == 0 && strings.Contains(word, "/"): // perhaps our program, or a copy of it
			r.found(codeAsksPerson(rest))
		}
		if i > 0 && r.verb == "" {
			_, value, _ := strings.Cut(word, "=")
			for _, text := range []string{word, value} {
				if isText(text) && !(isMessage(program, line[i-1]) && !isCode && !isFed) {
					r.text(text, isCode, depth, files)
				}
			}
		}
	}
	r.found(changesIt, r.changesKept(program, line, isCode, isFed) || r.fillsFolder(program, line) || r.changesTree(line))
	r.found(changesIt, slices.ContainsFunc(one.Reads, func(file string) bool {
		file = r.expand(file)
		return r.isHome(r.Dir, file) || !isCode && r.isTranscript(r.Dir, file)
	}))
	r.found(writesAll, !isCode && slices.ContainsFunc(filesIn(started(line)), func(word string) bool { return r.isAround(word) && !isTarget(started(line), word) }))
	for _, text := range slices.Concat(one.Given, line[1:]) {
		if program == "apply_patch" || program == "applypatch" {
			r.found(r.Patch(text))
		}
	}
	for _, word := range scripts(line) {
		r.file(word, isCode, depth, files)
	}
	if !isCode && !isFed {
		return
	}
	for _, text := range r.taken(slices.Concat(one.Given, r.fed)) {
		r.text(text, isCode, depth, files)
	}
	for _, file := range slices.Concat(one.Reads, r.files) {
		r.file(file, isCode, depth, files)
	}
}

// changesKept reports whether a command, which does more than show, names a file of the memory or a transcript anywhere in its words. A
// text that is read as a command or as code does not count here. Transcripts that an interpreter reads, and the sources of cp, do not
// count either.
func (r *reader) changesKept(program string, line []string, isCode, isFed bool) bool {
	isRun := wrappers[program] || shells[program]
	isAway := strings.Contains(line[len(line)-1], ":") // on another machine
	copies := (program == "cp" || program == "rsync") && !isAway && !slices.ContainsFunc(line, func(word string) bool { return hasFlag(word, "-t") || hasFlag(word, "--target") })
	isReader := isCode && !slices.ContainsFunc(line, func(word string) bool { return hasFlag(word, "-i") }) // -i, -pi and -i.bak write what they read
	for i, word := range line[1:] {
		isSource := copies && i < len(line)-2 && !slices.ContainsFunc(line[i+1:], func(word string) bool { return strings.HasPrefix(word, "-") })
		switch {
		case isText(word) && (isCode || isFed || isRun || isMessage(program, line[i])), isRun && isMemory(word) && isFirst(line[1:i+1]):
		case r.isHome(r.Dir, word), !isReader && !isSource && r.isTranscript(r.Dir, word),
			takesAll[strings.ToLower(program)] && word != "" && len(word) <= mostPath && (r.holds(r.absolute(r.Dir, word)) || r.mayHold(word) && !isTarget(line, word)):
			return true
		}
	}
	return false
}

// fillsFolder reports whether a command copies or unpacks folders into a folder that contains the memory's, or transcripts, and so may
// replace files there. The user's whole home directory does not count.
func (r *reader) fillsFolder(program string, line []string) bool {
	copies := program == "rsync" || program == "cp" && slices.ContainsFunc(line, func(word string) bool {
		return slices.ContainsFunc([]string{"-r", "-R", "-a", "--recursive", "--archive", "--parents"}, func(flag string) bool { return hasFlag(word, flag) })
	})
	for i, word := range line[1:] {
		folder := r.absolute(r.Dir, word[strings.LastIndexByte(word, '=')+1:])
		isTarget := copies && i == len(line)-2 || (copies || unpackers[program]) && (targetFlags[line[i]] || strings.HasPrefix(word, "--directory="))
		if isTarget && r.holds(folder) && !r.isWithin(r.user(), folder) {
			return true
		}
	}
	return false
}

// holds reports whether a folder, which may have wildcards, is or contains a folder of the memory or of transcripts.
func (g *Guard) holds(folder string) bool {
	return slices.ContainsFunc(append(g.folders(), g.transcripts()...), func(own string) bool {
		parts := strings.SplitAfter(own, string(filepath.Separator))
		above := strings.Join(parts[:min(len(parts), strings.Count(folder, string(filepath.Separator))+1)], "")
		return g.isWithin(own, folder) || matches(folder, strings.TrimSuffix(above, string(filepath.Separator)))
	})
}

// mayHold is holds for a path with parts that only the shell knows, if the folder around the home has a name of its own, such as .claude.
func (g *Guard) mayHold(folder string) bool {
	above := filepath.Dir(g.Home)
	_, may := mayLie(opened(folder), above, strings.HasPrefix(filepath.Base(above), "."))
	return may
}

// found stores what a command does, if nothing was found before.
func (r *reader) found(verb string, is bool) {
	if is && r.verb == "" {
		r.verb = verb
	}
}

// taken returns the leading texts that fit into the bytes that may still be read.
func (r *reader) taken(texts []string) []string {
	for i, text := range texts {
		if r.left -= len(text); r.left < 0 {
			return texts[:i]
		}
	}
	return texts
}

// scripts returns the words of a command that may be the names of scripts it runs.
func scripts(line []string) []string {
	var found []string
	after := 0 // number of following words that may be a shell's script
	for i, word := range line {
		name := nameOf(word)
		if strings.Contains(word, "/") && (i == 0 || wrappers[path.Base(line[0])]) || after > 0 && !strings.HasPrefix(word, "-") {
			found, after = append(found, word), after-1
		}
		if shells[name] || isInterpreter(name) {
			after = 2
		}
	}
	return found
}

// text reads a text that may be run as shell, and if isCode as another language.
func (r *reader) text(text string, isCode bool, depth, files int) {
	if isCode && r.verb == "" {
		r.code(text)
	}
	r.line(strings.TrimLeft(text, "! "), depth+1, files)
}

// code reads a text of a language other than shell. It looks for the words of a command beside each other, with any
// quotes and commas between them.
func (r *reader) code(text string) {
	tokens := strings.FieldsFunc(text, func(c rune) bool {
		return !strings.ContainsRune(plain, c)
	})
	names := namesIn(text)
	if r.isHome(r.Dir, text) || r.buildsHome(text) || r.isTranscript(r.Dir, text) && writes(text) || (slices.Contains(names, "projects") || slices.Contains(names, "sessions")) &&
		slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool { return strings.Contains(line, ".jsonl") && writes(line) }) {
		r.verb = changesIt
		return
	}
	for i, token := range tokens {
		if isMemory(token) && i+1 < len(tokens) {
			r.found(asksPerson(tokens[i+1 : min(i+6, len(tokens))]))
		}
	}
}

// namesIn returns the names of files and folders, and the other words, in a text.
func namesIn(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return c == '/' || !strings.ContainsRune(plain, c) })
}

// buildsHome reports whether a text may build the path of a folder of the memory.
func (g *Guard) buildsHome(text string) bool {
	names := namesIn(text)
	return slices.ContainsFunc(g.folders(), func(folder string) bool { return strings.Contains(text, folder) }) || slices.Contains(names, filepath.Base(g.Home)) &&
		(slices.Contains(names, filepath.Base(filepath.Dir(g.Home))) || strings.Contains(text, "config.json"))
}

// writes reports whether code may write, or may start a program that does.
func writes(code string) bool {
	code = strings.ToLower(code)
	return slices.ContainsFunc(writings, func(writing string) bool { return strings.Contains(code, writing) })
}

// writings are the texts by which code writes a file, or starts a program.
var writings = []string{"'w", "'a'", "'x", `"w`, `"a"`, `"x`, `">`, "'>", "write", "append", "copy", "cp(", "move", "rename", "os.replace", "link", "extract", "unpack", "system", "exec", "spawn", "subprocess", "popen"}

// plain are the characters of a word that are not syntax in any language.
const plain = shell.NameLetters + "-./~"

func (r *reader) file(name string, isCode bool, depth, files int) {
	if files >= mostFiles || r.verb != "" {
		return
	}
	text := r.script(name)
	if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "#!") {
		isCode = isCode || slices.ContainsFunc(strings.Fields(first[2:]), func(word string) bool { return isInterpreter(path.Base(word)) })
	}
	switch {
	case text == "":
	case strings.EqualFold(filepath.Ext(name), ".ps1"):
		r.power(text, depth, files+1)
	default:
		r.text(text, isCode, depth, files+1)
	}
}

// script returns the text of a file, or "" if the file is not a script: missing, binary or too large.
func (r *reader) script(name string) string {
	file := r.absolute(r.Dir, r.expand(name))
	if text, is := r.made[file]; is {
		return text
	}
	if name == "" || strings.HasPrefix(name, "-") || len(file) > mostPath {
		return ""
	}
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > min(mostScript, int64(r.left)) {
		return ""
	}
	r.left -= int(info.Size())
	text, err := os.ReadFile(file)
	if err != nil || bytes.IndexByte(text, 0) >= 0 {
		return ""
	}
	return string(text)
}

// isShowing reports whether a command only shows something.
func (r *reader) isShowing(program string, line []string) bool {
	unless, is := showingWith[program]
	if program == "uniq" { // its second file is written
		return len(slices.DeleteFunc(slices.Clone(line[1:]), func(word string) bool { return strings.HasPrefix(word, "-") })) < 2
	}
	return showing[program] || r.isPower && showingCmdlets[strings.ToLower(program)] || is && !slices.ContainsFunc(line[1:], func(word string) bool {
		return slices.ContainsFunc(unless, func(told string) bool {
			return hasFlag(word, told) || strings.ContainsAny(told, "(|> ") && strings.Contains(word, told)
		})
	})
}

// unknown stands for arguments that a command reads from somewhere.
const unknown = "$@"

// expand replaces the known variables in a word.
func (r *reader) expand(word string) string {
	if !strings.Contains(word, "$") || strings.Count(word, "$") > mostVariables {
		return word
	}
	return os.Expand(word, func(name string) string {
		otherwise := strings.TrimLeft(name, shell.NameLetters) // ${NAME:-otherwise}, ${NAME%/}
		given := name[:len(name)-len(otherwise)]
		operator := strings.TrimPrefix(otherwise, ":")
		value, is := r.vars[given]
		if !is {
			value = r.Getenv(given)
			is = value != "" && len(value) <= mostPath
		}
		switch {
		case is && (operator == "" || strings.ContainsAny(operator[:1], "-=?")):
			return value
		case is && strings.Trim(operator, "%") == "/":
			return strings.TrimSuffix(value, "/")
		case operator != "" && (!is && strings.ContainsAny(operator[:1], "-=") || operator[0] == '+'):
			return r.expand(operator[1:])
		}
		return "${" + name + "}"
	})
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

// isKept reports whether a word names a file of the memory, or a transcript.
func (g *Guard) isKept(dir, word string) bool {
	return g.isHome(dir, word) || g.isTranscript(dir, word)
}

// isHome reports whether a word names a file in a folder of the memory, or such a folder.
func (g *Guard) isHome(dir, word string) bool { return g.names(dir, word, g.folders()) }

// isTranscript reports whether a word names a client's session transcript. The prompts in transcripts are imported as the user's words.
func (g *Guard) isTranscript(dir, word string) bool { return g.names(dir, word, g.transcripts()) }

func (g *Guard) folders() []string { return append([]string{g.Home}, g.Folders...) }

func (g *Guard) transcripts() []string {
	codex := cmp.Or(g.Getenv("CODEX_HOME"), filepath.Join(g.user(), ".codex"))
	return []string{filepath.Join(paths.ClientDir(g.Getenv), "projects"), filepath.Join(codex, "sessions")}
}

// names reports whether a text names a file in one of some folders. The path may be the text, or stand in it behind any sign, as in
// UNIX-CONNECT:PATH, -oPATH or f('PATH'), and may have wildcards.
func (g *Guard) names(dir, text string, folders []string) bool {
	dir = opened(dir)
	paths := []string{withoutBraces(text), opened(text), guessed(text)}
	for _, part := range strings.FieldsFunc(text+" "+strings.Join(paths, " "), func(c rune) bool { return !strings.ContainsRune(plain+"*?", c) }) {
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

// mayBe is lies for a path with parts that only the shell knows. One of them may be the folder's own name if the folder is a client's.
func (g *Guard) mayBe(file, folder string) bool {
	parent := filepath.Dir(folder)
	isClients := folder == g.Home || slices.Contains(g.transcripts(), folder)
	if isClients && strings.HasPrefix(file, parent+string(filepath.Separator)) && matches(file, folder) && !g.isWithin(g.user(), parent) {
		return g.counts(file, folder)
	}
	rest, may := mayLie(file, folder, folder == g.Home && filepath.Base(folder) == usualName)
	return may && g.counts(filepath.Join(folder, rest), folder)
}

// usualName is the name of a home that nobody has chosen.
const usualName = "surrealdb-memory"

// lies reports whether a file, which may have wildcards, is a folder or lies in it.
func (g *Guard) lies(file, folder string) bool {
	isWild := strings.ContainsAny(file, "*?[")
	switch {
	case strings.Contains(file, open):
		return g.mayBe(file, folder)
	case !isWild && !strings.HasPrefix(file, folder+string(filepath.Separator)), isWild && !matches(file, folder):
		return file == folder || g.isWithin(file, folder)
	}
	return g.counts(file, folder)
}

// counts reports whether a file in a folder is the memory's, or a transcript. The client's own memory and the results of tools, which lie
// beside the transcripts, do not count.
func (g *Guard) counts(file, folder string) bool {
	names, above := strings.Split(file, string(filepath.Separator)), strings.Count(folder, string(filepath.Separator))+1
	if folder != g.transcripts()[0] || len(names) <= above || filepath.Ext(file) == ".jsonl" {
		return true
	}
	return !slices.Contains(names[above+1:], "memory") && !slices.Contains(names[above+1:], "tool-results")
}

// marks are the variables that clients set to mark the shell of their model.
var marks = []string{"CLAUDECODE", "CODEX_THREAD_ID", "CODEX_SANDBOX"}

func isMark(name string) bool { return slices.Contains(marks, name) }

// takes reports whether a command may do more with its input than show it.
func (r *reader) takes(line []string) bool {
	line = started(line)
	return len(line) > 0 && !isMemory(line[0]) && !changesFolder[line[0]] && (isSending(line) || !r.isShowing(nameOf(line[0]), line))
}

// isOwnProgram reports whether a word names a program of the memory other than its command line: the daemon, a server, a hook. A hook has
// a common name, so its path must lie in a folder of the memory.
func (r *reader) isOwnProgram(word string) bool {
	return !isMemory(word) && (ownPrograms[nameOf(word)] || strings.Contains(word, "/") && r.isHome(r.Dir, word))
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
