package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"
)

// The scripts say which shell it is: the library writes descriptions for zsh.

const bashCompletion = `# memory, for bash: put  eval "$(memory completion bash)"  into ~/.bashrc
_memory_complete() {
	local current="${COMP_WORDS[COMP_CWORD]}"
	local -a words=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
	[[ "$current" == -* ]] && words+=("$current")
	COMPREPLY=($(compgen -W "$(SHELL=bash memory "${words[@]}" --generate-bash-completion 2>/dev/null)" -- "$current"))
}
complete -o default -F _memory_complete memory
`

const zshCompletion = `#compdef memory
# memory, for zsh: put  eval "$(memory completion zsh)"  behind compinit in ~/.zshrc
_memory() {
	local -a found given=("${words[@]:1:$((CURRENT-2))}")
	[[ "${words[CURRENT]}" == -* ]] && given+=("${words[CURRENT]}")
	found=("${(@f)$(SHELL=zsh memory "${given[@]}" --generate-bash-completion 2>/dev/null)}")
	if [[ -n "${found[1]}" ]]; then
		_describe memory found
	else
		_files
	fi
}
compdef _memory memory
`

func (p *program) completionCommand() *cli.Command {
	script := func(text func(*cli.App) (string, error)) cli.ActionFunc {
		return func(c *cli.Context) error {
			script, err := text(c.App)
			if err != nil {
				return fmt.Errorf("write the completions: %w", err)
			}
			_, err = io.WriteString(p.out, script)
			return err
		}
	}
	fixed := func(text string) cli.ActionFunc {
		return script(func(*cli.App) (string, error) { return text, nil })
	}
	return &cli.Command{
		Name: "completion", Usage: "print what makes a shell complete memory's commands",
		Subcommands: []*cli.Command{
			{Name: "bash", Usage: "for bash: eval \"$(memory completion bash)\"", Action: fixed(bashCompletion)},
			{Name: "zsh", Usage: "for zsh: eval \"$(memory completion zsh)\"", Action: fixed(zshCompletion)},
			{Name: "fish", Usage: "for fish: memory completion fish | source", Action: script(func(*cli.App) (string, error) { return p.app().ToFishCompletion() })},
		},
	}
}
