package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// noCommand returns the error for an unknown command, with the most similar command.
func noCommand(parent, name string, commands []*cli.Command) error {
	return usagef("there is no command %q; memory %s lists the commands%s", strings.TrimSpace(parent+" "+name),
		strings.TrimSpace(parent+" --help"), strings.TrimSuffix(". "+cli.SuggestCommand(commands, name), `. Did you mean ""?`))
}

// flagError returns the library's error in plain words. For an unknown flag it adds the most similar flag.
func flagError(c *cli.Context, err error) error {
	_, wrong, unknown := strings.Cut(err.Error(), "flag provided but not defined: -")
	if name, is := strings.CutPrefix(err.Error(), "flag needs an argument: -"); is && c.Command != nil {
		return needsValue(c, strings.TrimLeft(name, "-"))
	}
	if value, rest, is := strings.Cut(err.Error(), " for flag -"); is && c.Command != nil {
		name, _, _ := strings.Cut(rest, ":")
		return usagef("the option --%s does not take the %s; %s --help describes it", name, strings.TrimPrefix(value, "invalid "), c.Command.HelpName)
	}
	if !unknown || c.Command == nil {
		return usageError{Err: err}
	}
	wrong = strings.TrimLeft(wrong, "-")
	return usagef("there is no option --%s; %s --help lists the options. Did you mean %s?", wrong, c.Command.HelpName,
		cli.SuggestFlag(slices.Concat(c.Command.Flags, sharedFlags()), wrong, false))
}
