package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The completion scripts call this program with the library's flag to get the candidates
// at the cursor. completingVariable names the shell and, after a colon, the typed part of
// the word.
const (
	completingFlag     = "--generate-bash-completion"
	completingVariable = "MEMORY_COMPLETE"
)

// completionQuestionOf returns the question of a shell for completions. Such a command line is never executed, wherever
// the flag is.
func completionQuestionOf(args []string, getenv func(string) string) *completionQuestion {
	at := slices.Index(args, completingFlag)
	if at < 1 {
		return nil
	}
	asked := &completionQuestion{before: args[1:at:at]}
	shell, current, told := strings.Cut(getenv(completingVariable), ":")
	if told {
		asked.shell, asked.current = shell, current
	} else if last := len(asked.before) - 1; last >= 0 && strings.HasPrefix(asked.before[last], "-") {
		asked.before, asked.current = asked.before[:last], asked.before[last] // the library's own scripts give no other
	}
	if asked.current == "=" { // bash takes --flag=value for three words
		asked.current = ""
	}
	if last := len(asked.before) - 1; last >= 0 && asked.before[last] == "=" {
		asked.before = asked.before[:last]
	}
	return asked
}

// Arguments is the command line for the library without "--", which would make it run
// the command, and without --help, which would print a page. Only which command is
// meant matters.
func (q *completionQuestion) Arguments(app *cli.App) []string {
	words := []string{"memory"}
	for _, word := range q.before {
		switch word {
		case "--", "--help", "-h", "--version", "-v", completingFlag:
		default:
			words = append(words, word)
		}
	}
	return append(flagsFirst(app, words), completingFlag)
}

// candidate is a possible completion with its description.
type candidate struct{ Word, Meaning string }

// completer returns the candidates for a value. It runs while the user waits for TAB, so
// it is fast, and errors give no candidates.
type completer func(ctx context.Context, c *cli.Context) []candidate

// completeTime bounds the agent's answer to a TAB.
const completeTime = 500 * time.Millisecond

// Complete makes a command answer the shell's question. Its arguments are
// completed by the values, if there are any.
func (e *environment) Complete(arguments completer, flagValues map[string]completer) cli.BashCompleteFunc {
	return func(c *cli.Context) {
		if e.Asked == nil {
			return
		}
		ctx, cancel := context.WithTimeout(c.Context, completeTime)
		defer cancel()
		e.answerShell(e.candidates(ctx, c, arguments, flagValues))
	}
}

func (e *environment) candidates(
	ctx context.Context, c *cli.Context, arguments completer, flagValues map[string]completer,
) []candidate {
	var flags []cli.Flag
	commands := c.App.Commands
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != c.App.Name {
		flags, commands = c.Command.Flags, c.Command.Subcommands
	}
	asked := e.Asked
	literal := slices.Contains(asked.before, "--")
	if before := append([]string{""}, asked.before...); !literal {
		last := before[len(before)-1]
		if isFlag, takesValue := flagOf(flags, last); isFlag && takesValue {
			return candidatesOf(ctx, c, flagValues, last)
		}
	}
	name, _, isPair := strings.Cut(asked.current, "=")
	if isFlag, _ := flagOf(flags, name); isFlag && isPair && !literal {
		found := candidatesOf(ctx, c, flagValues, name)
		for i := range found {
			found[i].Word = name + "=" + found[i].Word
		}
		return found
	}
	if strings.HasPrefix(asked.current, "-") && !literal {
		return flagCandidates(flags, asked.before)
	}
	found := shownCommands(commands)
	if arguments != nil {
		found = append(found, arguments(ctx, c)...)
	}
	return found
}

// shownCommands are the commands that people use.
func shownCommands(commands []*cli.Command) (found []candidate) {
	for _, command := range commands {
		if !command.Hidden {
			found = append(found, candidate{command.Name, command.Usage})
		}
	}
	return found
}

// flagCandidates are the flags that may still be given.
func flagCandidates(flags []cli.Flag, before []string) []candidate {
	found := []candidate{{"--help", "describe it"}}
	for _, flag := range flags {
		name := "--" + flag.Names()[0]
		_, repeats := flag.(*cli.StringSliceFlag)
		given := slices.ContainsFunc(before, func(word string) bool { return word == name || strings.HasPrefix(word, name+"=") })
		if name != "--help" && (repeats || !given) {
			_, usage := optionOf(flag)
			found = append(found, candidate{name, usage})
		}
	}
	return found
}

// candidatesOf are the values that a flag can have. A file or directory is completed by
// the shell.
func candidatesOf(ctx context.Context, c *cli.Context, values map[string]completer, flag string) []candidate {
	if known := values[strings.TrimLeft(flag, "-")]; known != nil {
		return known(ctx, c)
	}
	return nil
}

// oneOf completes a value that is one of some words.
func oneOf[T ~string](words ...T) completer {
	return func(context.Context, *cli.Context) []candidate {
		found := make([]candidate, 0, len(words))
		for _, word := range words {
			found = append(found, candidate{Word: string(word)})
		}
		return found
	}
}

// mostCandidates bounds the candidates for one TAB.
const mostCandidates = 200

// IDs completes the ids of memories with a status, of the project and of the user. A
// command that takes one id is given one. Errors give no candidates.
func (e *environment) IDs(status memory.Status, several bool) completer {
	return func(ctx context.Context, c *cli.Context) []candidate {
		if c.Args().Present() && !several {
			return nil
		}
		where, err := e.Project(c.String("project"))
		if err != nil {
			return nil
		}
		var all []candidate
		for _, filter := range []memory.Filter{{Project: where.Key}, {Scope: memory.ScopeUser}} {
			filter.Statuses, filter.Limit = []memory.Status{status}, mostCandidates
			found, _ := agentapi.MethodMemories.Ask(ctx, e.Agent.Ask, filter)
			for _, m := range found {
				all = append(all, candidate{memory.ShortID(m.ID), string(m.Kind) + ": " + m.Content})
			}
		}
		return all
	}
}

// ProjectNames completes a project by its name, or by its key if others share the name.
func (e *environment) ProjectNames(ctx context.Context, _ *cli.Context) []candidate {
	all, err := agentapi.MethodProjects.Ask(ctx, e.Agent.Ask, agentapi.ProjectsParams{Uncounted: true})
	if err != nil {
		return nil
	}
	names := map[string]int{}
	for _, one := range all {
		names[one.Name]++
	}
	found := make([]candidate, 0, len(all))
	for _, one := range all {
		if names[one.Name] == 1 && one.Name != "" {
			found = append(found, candidate{one.Name, one.Key})
		} else {
			found = append(found, candidate{one.Key, one.Name})
		}
	}
	return found
}

// answerShell prints the candidates that begin with the typed text, in the shell's
// format.
func (e *environment) answerShell(all []candidate) {
	for _, one := range all {
		word, meaning := terminal.Printable(one.Word), memory.Cut(terminal.Printable(memory.OneLine(one.Meaning)), 60)
		if !strings.HasPrefix(word, e.Asked.current) {
			continue
		}
		switch {
		case e.Asked.shell == "zsh" && meaning != "":
			word = strings.ReplaceAll(word, ":", `\:`) + ":" + meaning
		case e.Asked.shell == "zsh":
			word = strings.ReplaceAll(word, ":", `\:`)
		case e.Asked.shell == "fish" && meaning != "":
			word += "\t" + meaning
		}
		_, _ = fmt.Fprintln(e.Out, word)
	}
}
