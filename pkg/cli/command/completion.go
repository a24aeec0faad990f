package command

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
	CompletingFlag     = "--generate-bash-completion"
	completingVariable = "MEMORY_COMPLETE"
)

// QuestionOf tells whether a shell asks for completions. Such a command line is never
// carried out, wherever the flag stands.
func QuestionOf(args []string, getenv func(string) string) *Question {
	at := slices.Index(args, CompletingFlag)
	if at < 1 {
		return nil
	}
	asked := &Question{before: args[1:at:at]}
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
func (q *Question) Arguments(app *cli.App) []string {
	words := []string{"memory"}
	for _, word := range q.before {
		switch word {
		case "--", "--help", "-h", "--version", "-v", CompletingFlag:
		default:
			words = append(words, word)
		}
	}
	return append(FlagsFirst(app, words), CompletingFlag)
}

// Candidate is a possible completion with its description.
type Candidate struct{ Word, Meaning string }

// Values returns the candidates for a value. It runs while the user waits for TAB, so
// it is fast, and errors give no candidates.
type Values func(ctx context.Context, c *cli.Context) []Candidate

// completeTime bounds the agent's answer to a TAB.
const completeTime = 500 * time.Millisecond

// Complete makes a command answer the shell's question. Its arguments are
// completed by the values, if there are any.
func (e *Env) Complete(arguments Values, flagValues map[string]Values) cli.BashCompleteFunc {
	return func(c *cli.Context) {
		if e.Asked == nil {
			return
		}
		ctx, cancel := context.WithTimeout(c.Context, completeTime)
		defer cancel()
		e.answerShell(e.candidates(ctx, c, arguments, flagValues))
	}
}

func (e *Env) candidates(ctx context.Context, c *cli.Context, arguments Values, flagValues map[string]Values) []Candidate {
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
			return valuesOf(ctx, c, flagValues, last)
		}
	}
	name, _, isPair := strings.Cut(asked.current, "=")
	if isFlag, _ := flagOf(flags, name); isFlag && isPair && !literal {
		found := valuesOf(ctx, c, flagValues, name)
		for i := range found {
			found[i].Word = name + "=" + found[i].Word
		}
		return found
	}
	if strings.HasPrefix(asked.current, "-") && !literal {
		return flagCandidates(flags, asked.before)
	}
	found := shown(commands)
	if arguments != nil {
		found = append(found, arguments(ctx, c)...)
	}
	return found
}

// shown are the commands that people use.
func shown(commands []*cli.Command) (found []Candidate) {
	for _, command := range commands {
		if !command.Hidden {
			found = append(found, Candidate{command.Name, command.Usage})
		}
	}
	return found
}

// flagCandidates are the flags that may still be given.
func flagCandidates(flags []cli.Flag, before []string) []Candidate {
	found := []Candidate{{"--help", "describe it"}}
	for _, flag := range flags {
		name := "--" + flag.Names()[0]
		_, repeats := flag.(*cli.StringSliceFlag)
		given := slices.ContainsFunc(before, func(word string) bool { return word == name || strings.HasPrefix(word, name+"=") })
		if name != "--help" && (repeats || !given) {
			_, usage := OptionOf(flag)
			found = append(found, Candidate{name, usage})
		}
	}
	return found
}

// valuesOf are the values that a flag can have. A file or directory is completed by
// the shell.
func valuesOf(ctx context.Context, c *cli.Context, values map[string]Values, flag string) []Candidate {
	if known := values[strings.TrimLeft(flag, "-")]; known != nil {
		return known(ctx, c)
	}
	return nil
}

// OneOf completes a value that is one of some words.
func OneOf[T ~string](words ...T) Values {
	return func(context.Context, *cli.Context) []Candidate {
		found := make([]Candidate, 0, len(words))
		for _, word := range words {
			found = append(found, Candidate{Word: string(word)})
		}
		return found
	}
}

// MostCandidates bounds the candidates for one TAB.
const MostCandidates = 200

// IDs completes the ids of memories with a status, of the project and of the user. A
// command that takes one id is given one. Errors give no candidates.
func (e *Env) IDs(status memory.Status, several bool) Values {
	return func(ctx context.Context, c *cli.Context) []Candidate {
		if c.Args().Present() && !several {
			return nil
		}
		where, err := e.Project(c.String("project"))
		if err != nil {
			return nil
		}
		var all []Candidate
		for _, filter := range []memory.Filter{{Project: where.Key}, {Scope: memory.ScopeUser}} {
			filter.Statuses, filter.Limit = []memory.Status{status}, MostCandidates
			found, _ := agentapi.MethodMemories.Ask(ctx, e.Agent.Ask, filter)
			for _, m := range found {
				all = append(all, Candidate{memory.ShortID(m.ID), string(m.Kind) + ": " + m.Content})
			}
		}
		return all
	}
}

// ProjectNames completes a project by its name, or by its key if others share the name.
func (e *Env) ProjectNames(ctx context.Context, _ *cli.Context) []Candidate {
	all, err := agentapi.MethodProjects.Ask(ctx, e.Agent.Ask, agentapi.ProjectsParams{Uncounted: true})
	if err != nil {
		return nil
	}
	names := map[string]int{}
	for _, one := range all {
		names[one.Name]++
	}
	found := make([]Candidate, 0, len(all))
	for _, one := range all {
		if names[one.Name] == 1 && one.Name != "" {
			found = append(found, Candidate{one.Name, one.Key})
		} else {
			found = append(found, Candidate{one.Key, one.Name})
		}
	}
	return found
}

// answerShell prints the candidates that begin with the typed text, in the shell's
// format.
func (e *Env) answerShell(all []Candidate) {
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
