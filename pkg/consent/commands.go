package consent

import (
	"path"
	"slices"
	"strings"
)

// persons are the commands that only a person gives, with the decision of each. A model that runs one is refused. Of a
// command that is only listed for some of its flags, the command itself looks: see command.Env.OnlyPerson.
var persons = []struct {
	command []string
	verb    string
}{
	{[]string{"distill", "on"}, "decides whether words go to a model"},
	{[]string{"open"}, "opens the dashboard, which would let the model act in your name"},
	{[]string{"sync"}, "brings memories in as their own"},
	{[]string{"rule"}, "writes rules into the files of a project"},
	{[]string{"review", "accept"}, "decides about facts"},
	{[]string{"review", "reject"}, "decides about facts"},
	{[]string{"projects", "on"}, "switches the memory on again"},
	{[]string{"setup", "codex", "on"}, "connects Codex"},
	{[]string{"undo"}, "takes changes back"},
	{[]string{"purge"}, "deletes what is stored"},
	{[]string{"uninstall"}, "uninstalls the memory"},
}

// Persons reports whether a command is a person's decision, and then its description. words are the command and its
// arguments, without flags; words between those of a command count as values of flags.
func Persons(words []string) (verb string, only bool) {
	for _, one := range persons {
		if isCommand(words, one.command) {
			return one.verb, true
		}
	}
	if isCommand(words, []string{"config", "set"}) || isCommand(words, []string{"config", "unset"}) {
		return "changes the settings", true
	}
	return "", false
}

func isCommand(words, command []string) bool {
	if len(words) < len(command) || words[0] != command[0] {
		return false
	}
	rest := words
	for _, word := range command {
		at := slices.Index(rest, word)
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
	}
	return true
}

// PersonsLine is Persons for a line of a shell that is no more than one command of this memory. Of any other line it is
// false: where the command hides in it, or in a script, it is refused when it runs.
func PersonsLine(line string) (verb string, only bool) {
	words, is := literal(line)
	if !is {
		return "", false
	}
	return Persons(slices.DeleteFunc(words, func(word string) bool { return strings.HasPrefix(word, "-") }))
}

// literal returns the arguments of a line that runs the memory's command line program and nothing else, and that a
// shell does not expand.
func literal(line string) (arguments []string, is bool) {
	var words []string
	for rest := strings.TrimLeft(line, " \t"); rest != ""; rest = strings.TrimLeft(rest, " \t") {
		word, after, ok := nextWord(rest)
		if !ok {
			return nil, false
		}
		words, rest = append(words, word), after
	}
	if len(words) == 0 || !slices.Contains([]string{"memory", "memory.exe", "memory.cmd"}, path.Base(words[0])) {
		return nil, false
	}
	return words[1:], true
}

// plain are the characters that mean themselves to every shell outside of quotes.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"

func nextWord(text string) (word, rest string, ok bool) {
	for rest = text; rest != "" && rest[0] != ' ' && rest[0] != '\t'; {
		if quote := rest[:1]; quote == "'" || quote == `"` {
			inside, after, closed := strings.Cut(rest[1:], quote)
			if !closed || strings.Contains(inside, "\n") || quote == `"` && strings.ContainsAny(inside, "$`\\!") {
				return "", "", false
			}
			word, rest = word+inside, after
			continue
		}
		if strings.IndexByte(plain, rest[0]) < 0 {
			return "", "", false
		}
		word, rest = word+rest[:1], rest[1:]
	}
	return word, rest, true
}
