package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"github.com/xrash/smetrics"
)

// otherNames maps names that people try to the command they mean.
var otherNames = map[string]string{
	"add": "remember", "save": "remember", "store": "remember", "note": "remember", "delete": "forget",
	"remove": "forget", "rm": "forget",
	"archive": "forget", "find": "recall", "search": "recall --words", "grep": "recall --words", "ask": "recall",
	"ls": "list", "get": "show", "cat": "show",
	"why": "explain", "settings": "config", "set": "config set", "start": "agent start", "stop": "agent stop",
	"logs":    "agent logs",
	"install": "setup", "health": "doctor", "check": "doctor", "wipe": "purge", "dedup": "consolidate",
}

// nearest is the command that somebody may have meant, or "".
func nearest(name string, commands []*cli.Command) string {
	if other, known := otherNames[name]; known {
		first, _, _ := strings.Cut(other, " ")
		if commandNamed(commands, first) != nil {
			return other
		}
	}
	var names []string
	for _, command := range commands {
		names = append(names, command.Names()...)
	}
	return nearestOf(name, names)
}

// nearestOf is the word that somebody may have mistyped, or "". Up to a third of
// its letters may be wrong; the beginning of a word counts as that word.
func nearestOf(name string, words []string) string {
	best, likeness := "", 0.0
	for _, word := range slices.Sorted(slices.Values(words)) {
		if len(name) >= 2 && strings.HasPrefix(word, name) {
			return word
		}
		if smetrics.WagnerFischer(name, word, 1, 1, 1) > max(1, (len(name)+2)/3) {
			continue
		}
		if like := smetrics.JaroWinkler(name, word, 0.7, 4); like > likeness { // it knows of letters that changed places
			best, likeness = word, like
		}
	}
	return best
}

// noCommand returns the error for an unknown command, with similar ones.
func noCommand(parent, name string, commands []*cli.Command) error {
	full := strings.TrimSpace(parent + " " + name)
	if meant := nearest(name, commands); meant != "" {
		return usagef("there is no command %q; did you mean memory %s?", full, strings.TrimSpace(parent+" "+meant))
	}
	return usagef("there is no command %q; memory %s lists them", full, strings.TrimSpace(parent+" --help"))
}

// flagError explains an error of a command line, and which flag may be meant.
func flagError(c *cli.Context, err error) error {
	_, wrong, unknown := strings.Cut(err.Error(), "flag provided but not defined: -")
	if name, is := strings.CutPrefix(err.Error(), "flag needs an argument: -"); is && c.Command != nil {
		return usagef("the option --%s needs a value; %s --help describes it", strings.TrimLeft(name, "-"), c.Command.HelpName)
	}
	if !unknown || c.Command == nil {
		return usageError{Err: err}
	}
	var names []string
	for _, flag := range c.Command.Flags {
		names = append(names, flag.Names()[0])
	}
	wrong = strings.TrimLeft(wrong, "-")
	if meant := nearestOf(wrong, names); meant != "" {
		return usagef("there is no option --%s; did you mean --%s?", wrong, meant)
	}
	return usagef("there is no option --%s; %s --help lists them", wrong, c.Command.HelpName)
}
