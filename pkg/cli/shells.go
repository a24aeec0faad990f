package cli

import (
	"io"

	"github.com/urfave/cli/v2"
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

// completionCommand makes memory completion.
func completionCommand(e *environment) *cli.Command {
	script := func(text string) cli.ActionFunc {
		return func(*cli.Context) error {
			_, err := io.WriteString(e.Out, text)
			return err
		}
	}
	return &cli.Command{
		Name: "completion", Usage: "print a shell's completion script for memory",
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
