package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// usagef returns the error for a mistake in the command line, a memory.ErrInvalid, formatted as by fmt.Errorf.
func usagef(format string, args ...any) error {
	return memory.Mark(fmt.Errorf(format, args...), memory.ErrInvalid)
}

// command returns a command without a description, with an example.
func command(name, usage, arguments, example string, action cli.ActionFunc, flags ...cli.Flag) *cli.Command {
	return &cli.Command{Name: name, Usage: usage, ArgsUsage: arguments, Description: described("", example), Action: action, Flags: flags}
}

// examplesTitle precedes the examples at the end of a description.
const examplesTitle = "Examples:\n"

// described returns a command's description with examples, which are command lines.
func described(text string, lines ...string) string {
	var all strings.Builder
	if text != "" {
		all.WriteString(text + "\n\n")
	}
	all.WriteString(examplesTitle)
	for _, line := range lines {
		all.WriteString("  " + line + "\n")
	}
	return strings.TrimSuffix(all.String(), "\n")
}

// checkArguments fails if an option is given an empty value, or a command more or fewer arguments than its ArgsUsage lists. Arguments in brackets are
// optional; "...", [WORDS] and [QUESTION] allow any number. If ArgsUsage has "|", the command checks its arguments itself.
func checkArguments(c *cli.Context) error {
	for _, name := range c.LocalFlagNames() {
		isBlank := func(value string) bool { return strings.TrimSpace(value) == "" }
		if slices.ContainsFunc(append(c.StringSlice(name), c.String(name)), isBlank) {
			return needsValue(c, name)
		}
	}
	usage := c.Command.ArgsUsage
	names := strings.Fields(usage)
	least := slices.IndexFunc(append(names, "["), func(name string) bool { return strings.HasPrefix(name, "[") })
	isAny := strings.Contains(usage, "...") || usage == "[WORDS]" || usage == "[QUESTION]"
	if strings.Contains(usage, "|") || c.NArg() >= least && (isAny || c.NArg() <= len(names)) {
		return nil
	}
	return usagef("%s takes %s, but got %s; see %[1]s --help", c.Command.HelpName, cmp.Or(usage, "no arguments"), memory.Counted(c.NArg(), "argument"))
}

// needsValue returns the error for an option without a value, or with an empty value.
func needsValue(c *cli.Context, option string) error {
	return usagef("the option --%s needs a value; %s --help describes it", option, c.Command.HelpName)
}

func yesFlag() cli.Flag { return &cli.BoolFlag{Name: "yes", Usage: "do not ask"} }

func sharedFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		&cli.StringFlag{Name: "project", Usage: "the project of the directory `DIR`", DefaultText: "this directory"},
	}
}

const defaultLimit = 20

func limitFlag() cli.Flag {
	return &cli.IntFlag{Name: "limit", Usage: "at most `N` lines; 0: all", Value: defaultLimit}
}

func kindsFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "kind", Usage: "only this `KIND`; may be given again"}
}

// allKinds are the kinds that --kind accepts.
var allKinds = append(memory.Kinds(), memory.KindTurn)

// kindsOf returns the kinds of --kind; none means all. It fails for an unknown kind.
func kindsOf(c *cli.Context) ([]memory.Kind, error) {
	var wanted []memory.Kind
	for _, name := range c.StringSlice("kind") {
		if !slices.Contains(allKinds, memory.Kind(name)) {
			return nil, usagef("there is no kind %q; the kinds are %s", name, joined(allKinds, ", "))
		}
		wanted = append(wanted, memory.Kind(name))
	}
	return wanted, nil
}

// joined returns names with a separator between them.
func joined[T ~string](names []T, separator string) string {
	return strings.Join(memory.Each(names, func(name T) string { return string(name) }), separator)
}

// limitOf returns the value of --limit, at most everyRow; 0 also means everyRow. It fails for a negative number.
func limitOf(c *cli.Context) (int, error) {
	limit := c.Int("limit")
	if limit < 0 {
		return 0, usagef("--limit %d: give the number of lines, or 0 for all", limit)
	}
	return min(cmp.Or(limit, everyRow), everyRow), nil
}

// everyRow is a limit that no list reaches: an answer of the daemon, at most 16 MB, has room for about 20,000 memories.
const everyRow = 20_000

// noCommand returns the error for an unknown command, with the most similar command.
func noCommand(parent, name string, commands []*cli.Command) error {
	_, near, _ := strings.Cut(cli.SuggestCommand(commands, name), "mean ")
	return usagef("there is no command %q; memory %s lists the commands%s", strings.TrimSpace(parent+" "+name),
		strings.TrimSpace(parent+" --help"), didYouMean(name, strings.TrimSuffix(near, "?")))
}

// didYouMean returns a sentence with the suggestion, or "" if this begins with another letter: the library always suggests one.
func didYouMean(mistyped, suggestion string) string {
	if bare := strings.Trim(suggestion, `-"`); bare == "" || !strings.HasPrefix(mistyped, bare[:1]) {
		return ""
	}
	return ". Did you mean " + suggestion + "?"
}

// flagError returns the library's error in plain words. For an unknown flag it adds the most similar flag.
func flagError(c *cli.Context, err error) error {
	_, wrong, unknown := strings.Cut(err.Error(), "flag provided but not defined: -")
	if name, is := strings.CutPrefix(err.Error(), "flag needs an argument: -"); is && c.Command != nil {
		return needsValue(c, strings.TrimLeft(name, "-"))
	}
	if problem, name, is := strings.Cut(strings.Replace(err.Error(), "for flag", "for", 1), " for -"); is && c.Command != nil {
		kind, value, _ := strings.Cut(strings.TrimPrefix(problem, "invalid "), "value ")
		name, _, _ = strings.Cut(name, ":")
		return usagef("the option --%s takes %s, not %s", name, cmp.Or(strings.Replace(kind, "boolean ", "true or false", 1), "a number"), value)
	}
	if !unknown || c.Command == nil {
		return usagef("%w", err)
	}
	wrong = strings.TrimLeft(wrong, "-")
	return usagef("there is no option --%s; %s --help lists the options%s", wrong, c.Command.HelpName,
		didYouMean(wrong, cli.SuggestFlag(slices.Concat(c.Command.Flags, sharedFlags()), wrong, false)))
}
