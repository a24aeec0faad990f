package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The scripts ask this program, by the library's flag, what could stand where the
// cursor is. completingVariable says which shell asks and, behind a colon, what
// has been typed of the word.
const (
	completingFlag     = "--generate-bash-completion"
	completingVariable = "MEMORY_COMPLETE"
)

const bashCompletion = `# memory, for bash: put  eval "$(memory completion bash)"  into ~/.bashrc
_memory_complete() {
	local line
	COMPREPLY=()
	while IFS= read -r line; do
		COMPREPLY+=("$(printf %q "$line")")
	done < <(MEMORY_COMPLETE="bash:${COMP_WORDS[COMP_CWORD]}" memory "${COMP_WORDS[@]:1:COMP_CWORD-1}" --generate-bash-completion 2>/dev/null)
}
complete -o default -F _memory_complete memory
`

const zshCompletion = `#compdef memory
# memory, for zsh: put  eval "$(memory completion zsh)"  behind compinit in ~/.zshrc
_memory() {
	local -a found
	found=("${(@f)$(MEMORY_COMPLETE="zsh:${words[CURRENT]}" memory "${(@)words[2,CURRENT-1]}" --generate-bash-completion 2>/dev/null)}")
	if [[ -n "${found[1]}" ]]; then
		_describe memory found
	else
		_files
	fi
}
compdef _memory memory
`

const fishCompletion = `# memory, for fish: put  memory completion fish | source  into ~/.config/fish/config.fish
function __memory_complete
	set -l given (commandline -opc)
	set -l current (commandline -ct)
	set -lx MEMORY_COMPLETE "fish:$current"
	set -l found (memory $given[2..-1] --generate-bash-completion 2>/dev/null)
	if test (count $found) -gt 0
		printf '%s\n' $found
	else
		__fish_complete_path "$current"
	end
end
complete -c memory -f -a '(__memory_complete)'
`

func (p *program) completionCommand() *cli.Command {
	script := func(text string) cli.ActionFunc {
		return func(*cli.Context) error {
			_, err := io.WriteString(p.out, text)
			return err
		}
	}
	return &cli.Command{
		Name: "completion", Usage: "print what makes a shell complete memory's commands",
		Subcommands: []*cli.Command{
			{
				Name: "bash", Usage: "for bash", Action: script(bashCompletion),
				Description: described("Put the example into ~/.bashrc.", `eval "$(memory completion bash)"`),
			},
			{
				Name: "zsh", Usage: "for zsh", Action: script(zshCompletion),
				Description: described("Put the example into ~/.zshrc, behind compinit.", `eval "$(memory completion zsh)"`),
			},
			{
				Name: "fish", Usage: "for fish", Action: script(fishCompletion),
				Description: described("Put the example into ~/.config/fish/config.fish.", "memory completion fish | source"),
			},
		},
	}
}

// completion is a question of a shell: what could stand where the cursor is.
type completion struct {
	before  []string // the words before it, without the program's name
	current string   // what has been typed of the word
	shell   string   // bash, zsh, fish; empty for any other
}

// completionOf tells whether a shell asks. Wherever the flag stands, nothing of
// such a command line is carried out.
func completionOf(args []string, getenv func(string) string) *completion {
	at := slices.Index(args, completingFlag)
	if at < 1 {
		return nil
	}
	asked := &completion{before: args[1:at:at]}
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

// arguments is the command line for the library. A "--" would have it carry out
// the command, and --help print a page; only where the words lead to matters.
func (q *completion) arguments(app *cli.App) []string {
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

// candidate is a word that could stand there, and what it means.
type candidate struct{ word, meaning string }

// values finds what could stand as a value. It is asked while somebody types: it
// is fast, and what goes wrong is no candidate.
type values func(ctx context.Context, c *cli.Context) []candidate

// completeTime bounds the agent's answer while somebody waits for a TAB.
const completeTime = 500 * time.Millisecond

// completeWith makes a command answer the shell's question. Its arguments are
// completed by the values, if there are any.
func (p *program) completeWith(arguments values) cli.BashCompleteFunc {
	return func(c *cli.Context) {
		if p.completing == nil {
			return
		}
		ctx, cancel := context.WithTimeout(c.Context, completeTime)
		defer cancel()
		p.answerShell(p.candidates(ctx, c, arguments))
	}
}

func (p *program) candidates(ctx context.Context, c *cli.Context, arguments values) []candidate {
	var flags []cli.Flag
	commands := c.App.Commands
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != c.App.Name {
		flags, commands = c.Command.Flags, c.Command.Subcommands
	}
	asked := p.completing
	literal := slices.Contains(asked.before, "--")
	if last := len(asked.before) - 1; last >= 0 && !literal {
		if isFlag, takesValue := flagOf(flags, asked.before[last]); isFlag && takesValue {
			return p.valuesOf(ctx, c, asked.before[last])
		}
	}
	if name, _, isPair := strings.Cut(asked.current, "="); isPair && !literal {
		if isFlag, _ := flagOf(flags, name); isFlag {
			found := p.valuesOf(ctx, c, name)
			for i := range found {
				found[i].word = name + "=" + found[i].word
			}
			return found
		}
	}
	if strings.HasPrefix(asked.current, "-") && !literal {
		return flagCandidates(flags, asked.before)
	}
	var found []candidate
	for _, command := range commands {
		found = append(found, candidate{command.Name, command.Usage})
	}
	if arguments != nil {
		found = append(found, arguments(ctx, c)...)
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

// valuesOf are the values that a flag can have. A file or directory is completed
// by the shell.
func (p *program) valuesOf(ctx context.Context, c *cli.Context, flag string) []candidate {
	switch strings.TrimLeft(flag, "-") {
	case "kind":
		return p.kindNames(ctx, c)
	case "job":
		return words(consolidate.Jobs()...)
	case "to":
		return words(string(memory.ScopeProject), string(memory.ScopeUser))
	case "of":
		return words("agent", "engine", "hooks")
	case "project":
		if c.Command.Name == "purge" {
			return p.projectNames(ctx, c)
		}
	}
	return nil
}

func words(all ...string) []candidate {
	found := make([]candidate, 0, len(all))
	for _, word := range all {
		found = append(found, candidate{word: word})
	}
	return found
}

func (p *program) kindNames(_ context.Context, c *cli.Context) []candidate {
	var found []candidate
	for _, kind := range kinds {
		if c.Command.Name != "remember" || kind.UserAuthored() {
			found = append(found, candidate{word: string(kind)})
		}
	}
	return found
}

func (p *program) settingNames(_ context.Context, c *cli.Context) []candidate {
	if c.Args().Present() {
		return nil
	}
	all, _ := config.List(p.paths.ConfigFile(), p.getenv)
	found := make([]candidate, 0, len(all))
	for _, s := range all {
		found = append(found, candidate{s.Key, "default: " + s.Default})
	}
	return found
}

// mostCandidates bounds what is asked for on a TAB.
const mostCandidates = 200

// memoryIDs are the ids of the project's memories of a status. A command that takes
// one id is given one.
func (p *program) memoryIDs(status memory.Status, several bool) values {
	return func(ctx context.Context, c *cli.Context) []candidate {
		if c.Args().Present() && !several {
			return nil
		}
		where, err := p.project(c)
		if err != nil {
			return nil
		}
		filter := memory.Filter{Project: where.Key, Statuses: []memory.Status{status}, Limit: mostCandidates}
		var found []memory.Memory
		if err := p.ask(ctx, agentapi.MethodMemories, filter, &found); err != nil {
			return nil
		}
		all := make([]candidate, 0, len(found))
		for _, m := range found {
			all = append(all, candidate{memory.ShortID(m.ID), string(m.Kind) + ": " + m.Content})
		}
		return all
	}
}

func (p *program) activeIDs(several bool) values {
	return p.memoryIDs(memory.StatusActive, several)
}

func (p *program) archivedIDs() values {
	return p.memoryIDs(memory.StatusArchived, false)
}

func (p *program) heldIDs() values { return p.memoryIDs(memory.StatusQuarantined, false) }

func (p *program) projectNames(ctx context.Context, _ *cli.Context) []candidate {
	var all []memory.ProjectHolding
	if err := p.ask(ctx, agentapi.MethodProjects, nil, &all); err != nil {
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

func (p *program) runIDs(ctx context.Context, c *cli.Context) []candidate {
	var runs []memory.Run
	if c.Args().Present() || p.ask(ctx, agentapi.MethodRuns, mostCandidates, &runs) != nil {
		return nil
	}
	found := make([]candidate, 0, len(runs))
	for _, run := range runs {
		found = append(found, candidate{run.ID, run.Job + ", " + p.time(run.StartedAt)})
	}
	return found
}

// answerShell prints the candidates that begin as what was typed, as the shell
// wants them.
func (p *program) answerShell(all []candidate) {
	for _, one := range all {
		word, meaning := printable(one.word), memory.Cut(printable(memory.OneLine(one.meaning)), 60)
		if !strings.HasPrefix(word, p.completing.current) {
			continue
		}
		switch {
		case p.completing.shell == "zsh" && meaning != "":
			word = strings.ReplaceAll(word, ":", `\:`) + ":" + meaning
		case p.completing.shell == "zsh":
			word = strings.ReplaceAll(word, ":", `\:`)
		case p.completing.shell == "fish" && meaning != "":
			word += "\t" + meaning
		}
		_, _ = fmt.Fprintln(p.out, word)
	}
}
