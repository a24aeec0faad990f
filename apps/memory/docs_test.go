package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"
)

// TestTheDocumentedCommandsAreTheCommands holds docs/cli.md to the program: the
// same commands, in the same order.
func TestTheDocumentedCommandsAreTheCommands(t *testing.T) {
	data, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(data), "<!-- commands:begin")
	table, _, _ = strings.Cut(table, "<!-- commands:end")
	var documented []string
	for line := range strings.Lines(table) {
		if rest, isRow := strings.CutPrefix(line, "| `"); isRow {
			usage, _, _ := strings.Cut(rest, "`")
			documented = append(documented, commandOf(usage))
		}
	}
	if diff := cmp.Diff(namesOf("", (&program{}).app().Commands), documented); diff != "" {
		t.Errorf("docs/cli.md (-commands +documented):\n%s", diff)
	}
}

// commandOf is what stands before the arguments.
func commandOf(usage string) string {
	words := strings.Fields(usage)
	end := slices.IndexFunc(words, func(word string) bool { return strings.ToLower(word) != word || strings.HasPrefix(word, "[") })
	if end < 0 {
		end = len(words)
	}
	return strings.Join(words[:end], " ")
}

func namesOf(parent string, commands []*cli.Command) []string {
	var names []string
	for _, command := range commands {
		if len(command.Subcommands) == 0 {
			names = append(names, parent+command.Name)
			continue
		}
		names = append(names, namesOf(parent+command.Name+" ", command.Subcommands)...)
	}
	return names
}

// TestEveryCommandSpeaksJSON is about scripts: only what is a text for a shell, or
// runs another program's, does not.
func TestEveryCommandSpeaksJSON(t *testing.T) {
	without := []string{"completion bash", "completion zsh", "completion fish", "rebuild"}
	var got []string
	var walk func(string, []*cli.Command)
	walk = func(parent string, commands []*cli.Command) {
		for _, command := range commands {
			speaks := slices.ContainsFunc(command.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), "json") })
			if len(command.Subcommands) == 0 && !speaks {
				got = append(got, parent+command.Name)
			}
			walk(parent+command.Name+" ", command.Subcommands)
		}
	}
	walk("", (&program{}).app().Commands)
	slices.Sort(got)
	slices.Sort(without)
	if diff := cmp.Diff(without, got); diff != "" {
		t.Errorf("commands without --json (-want +got):\n%s", diff)
	}
}
