package consent

import (
	"errors"
	"os"
	"slices"
	"strings"
)

// ErrNotTyped: a command runs in the client, and nothing shows that a person has typed it.
var ErrNotTyped = errors.New("type it behind a ! where you type prompts, alone and while Claude is not at work, or run it in a terminal of your own")

// Typed returns nil if a person has typed the command that this process executes: in a terminal, or behind the client's
// !. The model's commands and those of slash commands and skills run in the same shell with the same environment. The
// differences are:
//
//   - The client's shell runs a line that is this command and no more. A script, a loop or a job in the background hides it.
//   - No turn is under way: idle is the file that hooks put there when a turn ends and remove when a prompt comes or a tool is to run.
//     A repository's slash command begins with a prompt, too.
//   - A line of the model's that is such a command, alone, is refused before it runs, by the hook; see PersonsLine.
//
// A process that removes all traces of the client from its environment and from the processes above it passes for a
// person, as any process of the user's does: only the client's own permissions keep a model from that.
func Typed(arguments []string, getenv func(string) string, idle func(session string) string) error {
	if getenv(startedByClient) == "" {
		return nil
	}
	session := getenv(sessionVariable)
	if session == "" {
		return ErrNotTyped
	}
	if _, err := os.Stat(idle(session)); err != nil {
		return ErrNotTyped
	}
	line, ofClient := shellLine()
	if !ofClient {
		return ErrNotTyped
	}
	if typed, is := literal(lineIn(line)); !is || !slices.Equal(typed, arguments) {
		return ErrNotTyped
	}
	return nil
}

// lineIn is the line that a shell of the client runs, by the text that the client gives that shell; empty if it is
// none. The line stands quoted at the end, before the part that notes the directory in which it ends.
func lineIn(shell string) string {
	const after, quote, before = "' < /dev/null && pwd -P >| ", `'"'"'`, "&& eval '"
	end := strings.LastIndex(shell, after)
	if end < 0 || strings.ContainsAny(strings.TrimSpace(shell[end+len(after):]), " \t\n") {
		return ""
	}
	begin := end
	for begin > 0 && shell[begin-1] != '\'' || strings.HasSuffix(shell[:begin], quote) {
		if begin--; strings.HasSuffix(shell[:begin+1], quote) {
			begin -= len(quote) - 1
		}
	}
	if !strings.HasSuffix(shell[:begin], before) {
		return ""
	}
	return strings.ReplaceAll(shell[begin:end], quote, "'")
}
