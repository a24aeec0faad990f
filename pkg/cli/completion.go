package cli

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"
)

// completingFlag asks the library for the commands and flags that may come next. The scripts below add it.
const completingFlag = "--generate-bash-completion"

// isCompletion reports whether a shell asks for completions. Such a command line is never executed, wherever the flag
// is.
func isCompletion(args []string) bool { return slices.Contains(args, completingFlag) }

// completionLine returns the command line so that the library recognises it as a request for completions: the flag is
// last, and no word makes the library run a command or print a page.
func completionLine(args []string) []string {
	line := slices.DeleteFunc(slices.Clone(args), func(word string) bool {
		return slices.Contains([]string{"--", "--help", "-h", "--version", "-v", completingFlag}, word)
	})
	return append(line, completingFlag)
}

// The scripts for bash and zsh come from the library's documentation. The library itself writes the script for fish.
const (
	bashCompletion = `# memory, for bash: put  eval "$(memory completion bash)"  into ~/.bashrc
_memory_complete() {
	local cur="${COMP_WORDS[COMP_CWORD]}" given=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
	if [[ "$cur" == -* ]]; then given+=("$cur"); fi
	COMPREPLY=($(compgen -W "$(memory "${given[@]}" --generate-bash-completion 2>/dev/null)" -- "$cur"))
}
complete -o bashdefault -o default -F _memory_complete memory
`
	zshCompletion = `#compdef memory
# memory, for zsh: put  eval "$(memory completion zsh)"  behind compinit in ~/.zshrc
_memory() {
	local -a given found
	given=("${(@)words[2,CURRENT-1]}")
	if [[ "${words[CURRENT]}" == -* ]]; then given+=("${words[CURRENT]}"); fi
	found=("${(@f)$(_CLI_ZSH_AUTOCOMPLETE_HACK=1 memory "${given[@]}" --generate-bash-completion 2>/dev/null)}")
	if [[ -n "${found[1]}" ]]; then _describe memory found; else _files; fi
}
compdef _memory memory
`
)

func completionCommand(e *environment, app func() *cli.App) *cli.Command {
	shell := func(name, how, line string, script func() (string, error)) *cli.Command {
		return &cli.Command{
			Name: name, Usage: "for " + name, Description: described(how, line),
			Action: func(*cli.Context) error {
				text, err := script()
				if err == nil {
					_, err = io.WriteString(e.Out, text)
				}
				return err
			},
		}
	}
	fixed := func(text string) func() (string, error) { return func() (string, error) { return text, nil } }
	return &cli.Command{
		Name: "completion", Usage: "print a shell's completion script for memory",
		Subcommands: []*cli.Command{
			shell("bash", "Put the example into ~/.bashrc.", `eval "$(memory completion bash)"`, fixed(bashCompletion)),
			shell("zsh", "Put the example into ~/.zshrc, behind compinit.", `eval "$(memory completion zsh)"`, fixed(zshCompletion)),
			shell("fish", "Put the example into ~/.config/fish/config.fish.", "memory completion fish | source",
				func() (string, error) { return app().ToFishCompletion() }),
		},
	}
}
