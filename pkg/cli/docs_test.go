package cli

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestTheDocumentedCommandsAreTheCommands holds docs/cli.md to the program: the same commands, in the same order.
func TestTheDocumentedCommandsAreTheCommands(t *testing.T) {
	data := musttest.Get(os.ReadFile("../../docs/cli.md"))(t)
	_, table, _ := strings.Cut(string(data), "<!-- commands:begin")
	table, _, _ = strings.Cut(table, "<!-- commands:end")
	var documented []string
	for line := range strings.Lines(table) {
		if rest, isRow := strings.CutPrefix(line, "| `"); isRow {
			usage, _, _ := strings.Cut(rest, "`")
			documented = append(documented, commandOf(usage))
		}
	}
	musttest.Same(t, namesOf("", idle().app().Commands), documented, "docs/cli.md (-commands +documented)")
}

// commandOf returns the part of a usage line before the arguments.
func commandOf(usage string) string {
	words := strings.Fields(usage)
	end := slices.IndexFunc(words, func(word string) bool { return strings.ToLower(word) != word || strings.HasPrefix(word, "[") })
	if end < 0 {
		end = len(words)
	}
	return strings.Join(words[:end], " ")
}

// hasAction reports whether a command does something by itself, besides holding others.
func hasAction(one *cli.Command) bool {
	return len(one.Subcommands) == 0 || strings.Contains(one.Description, examplesTitle)
}

func namesOf(parent string, commands []*cli.Command) []string {
	var names []string
	for _, one := range commands {
		if hasAction(one) {
			names = append(names, parent+one.Name)
		}
		names = append(names, namesOf(parent+one.Name+" ", one.Subcommands)...)
	}
	return names
}

// TestEveryCommandHasExamplesThatParse holds the examples of the help to the
// commands: a flag that is gone, or a command that was renamed, is found.
func TestEveryCommandHasExamplesThatParse(t *testing.T) {
	var walk func(string, []*cli.Command)
	walk = func(parent string, commands []*cli.Command) {
		for _, one := range commands {
			full := parent + one.Name
			walk(full+" ", one.Subcommands)
			if !hasAction(one) {
				continue
			}
			_, found, has := strings.Cut(one.Description, examplesTitle)
			if !has || !strings.Contains(found, "memory "+full) {
				t.Errorf("memory %s has no example", full)
			}
			for line := range strings.Lines(found) {
				parses(t, full, strings.TrimSpace(line))
			}
		}
	}
	walk("", idle().app().Commands)
}

// parses reads an example as the program would, and carries nothing out.
func parses(t *testing.T, full, line string) {
	t.Helper()
	_, line, isOurs := strings.Cut(line, "memory ")
	if !isOurs {
		t.Errorf("memory %s: the example %q is no use of memory", full, line)
		return
	}
	line, _, _ = strings.Cut(line, " |")
	line, _, _ = strings.Cut(line, " >")
	reached, err := reachedBy(t, strings.Fields(strings.NewReplacer(`"`, "", ")", "").Replace(line)))
	if err != nil || !strings.HasPrefix(reached+" ", full+" ") {
		t.Errorf("the example %q of memory %s is %q, %v", line, full, reached, err)
	}
}

// reachedBy is the command that the program would carry out.
func reachedBy(t *testing.T, words []string) (reached string, err error) {
	app := idle().app()
	var replace func([]*cli.Command)
	replace = func(commands []*cli.Command) {
		for _, one := range commands {
			if hasAction(one) { // else it only prints help
				one.Action = func(c *cli.Context) error {
					reached = strings.TrimPrefix(c.Command.HelpName, "memory ")
					return nil
				}
			}
			replace(one.Subcommands)
		}
	}
	replace(app.Commands)
	app.Writer = io.Discard
	err = app.RunContext(t.Context(), flagsFirst(app, append([]string{"memory"}, words...)))
	return reached, err
}
