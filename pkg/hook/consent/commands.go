package consent

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// decision is a command that only a person may give, and what it does.
type decision struct {
	command []string
	verb    string
}

// personCommands lists the commands that only a person may give. If a model runs such a command, the client asks the user or refuses it.
var personCommands = []decision{
	{[]string{"distill", "on"}, "let a model read ended sessions"},
	{[]string{"distill", "off"}, "switch distillation off"},
	{[]string{"open"}, "open the dashboard, in which a model could act in your name"},
	{[]string{"sync"}, "exchange memories with other machines; theirs then count as the user's own"},
	{[]string{"import", "export"}, "import texts that then count as the user's own words or rules"},
	{[]string{"import", "transcripts"}, "import texts that then count as the user's own words or rules"}, // the environment may name any folder as the client's folder of transcripts
	{[]string{"import", "claude-md"}, "import texts that then count as the user's own words or rules"},
	{[]string{"import", "auto-memory"}, "import texts that then count as the user's own words or rules"},
	{[]string{"rule"}, "write memories into CLAUDE.md or AGENTS.md"},
	{[]string{"projects", "on"}, "switch the memory on again"},
	{[]string{"projects", "off"}, "switch the memory off"},
	{[]string{"projects", "only"}, "switch the memory off for all other projects"},
	{[]string{"projects", "merge"}, "merge projects"},
	{[]string{"setup", "codex", "on"}, "connect Codex"},
	{[]string{"setup", "codex", "off"}, "disconnect Codex"},
	{[]string{"backup", "rebuild"}, "replace everything that is stored"},
	{[]string{"undo"}, "undo changes of memories"},
	{[]string{"purge"}, "delete stored memories, words, sessions or projects for good"},
	{[]string{"setup", "uninstall"}, "uninstall the memory"},
	{[]string{"config", "set"}, "change the settings of the memory"},
	{[]string{"config", "unset"}, "change the settings of the memory"},
}

// writesAll says what an export or a backup to a chosen place does.
const writesAll = "choose where all memories are written to"

// askedCommands lists further commands about which the client asks the user before a model runs them. Without the user's yes such a
// command changes no memory in the user's own words.
var askedCommands = []decision{
	{[]string{"edit"}, "change a memory"},
	{[]string{"forget"}, "archive memories"},
	{[]string{"restore"}, "restore memories"},
}

// find returns what the first fitting command of a list does.
func find(list []decision, fits func(command []string) bool) (verb string, is bool) {
	at := slices.IndexFunc(list, func(one decision) bool { return fits(one.command) })
	if at < 0 {
		return "", false
	}
	return list[at].verb, true
}

func isCommand(words, command []string) bool {
	if len(words) < len(command) || words[0] != command[0] {
		return false
	}
	rest := words
	for _, word := range command {
		at := slices.Index(rest, word)
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
	}
	return true
}

// answerFlags are the flags of setup that answer its questions.
var answerFlags = shell.SetOf(`yes plugin everything past distill codex`)

// NeedsPerson reports whether the arguments of the memory program are a command that only a person may give, and
// returns what the command does. Flags and their values may stand between the words of a command.
func NeedsPerson(arguments []string) (verb string, only bool) {
	plain, flags := splitFlags(arguments)
	if len(plain) == 0 {
		return "", false
	}
	if verb, only = find(personCommands, func(command []string) bool { return isCommand(plain, command) }); only {
		return verb, true
	}
	switch rest := plain[1:]; plain[0] {
	case "setup":
		return "answer the questions of memory setup", slices.ContainsFunc(flags, func(flag string) bool { return answerFlags[flag] })
	case "backup", "export":
		return writesAll, len(rest) > 0
	case "restore":
		return "replace everything that is stored", slices.Contains(flags, "yes") || slices.ContainsFunc(rest, func(word string) bool { return strings.Trim(word, "0123456789abcdefABCDEF") != "" })
	}
	return "", false
}

// splitFlags returns a command's words other than flags, and the names of its flags.
func splitFlags(arguments []string) (plain, flags []string) {
	for i, word := range arguments {
		if word == "--" {
			plain = append(plain, arguments[i+1:]...)
			break
		}
		if name := strings.TrimLeft(word, "-"); name != word && name != "" {
			name, _, _ = strings.Cut(name, "=")
			flags = append(flags, name)
			continue
		}
		if i > 0 && (arguments[i-1] == "--project" || arguments[i-1] == "-project") { // a flag's value
			continue
		}
		plain = append(plain, word)
	}
	return plain, flags
}

// asksPerson reports whether a command in a shell line is among personCommands or askedCommands. It returns false for a call with --help
// or -h.
func asksPerson(arguments []string) (verb string, is bool) {
	for i, word := range arguments {
		if word == "--" {
			break
		}
		if (word == "--help" || word == "-h" || word == "-help") && (i == 0 || !strings.HasPrefix(arguments[i-1], "-")) { // no flag's value
			return "", false
		}
	}
	if verb, is := NeedsPerson(arguments); is {
		return verb, true
	}
	plain, _ := splitFlags(arguments)
	return find(askedCommands, func(command []string) bool { return isCommand(plain, command) })
}

// printsAll reports whether the words of a command of memory print everything that is stored: an export, all sessions, or a list with
// a limit of 0 or of more than two digits.
func printsAll(words []string) bool {
	plain, flags := splitFlags(words[1:])
	command := strings.Join(plain[:min(1, len(plain))], "")
	if command == "export" || command == "sessions" && slices.Contains(flags, "all") {
		return true
	}
	for i, word := range words {
		if value, is := strings.CutPrefix(strings.TrimLeft(word, "-"), "limit"); is && strings.HasPrefix(word, "-") {
			value = cmp.Or(strings.TrimPrefix(value, "="), words[min(i+1, len(words)-1)])
			return len(value) != 1 && len(value) != 2 || value == "0"
		}
	}
	return false
}

// isMemory reports whether a word names the memory's command line program, or its package on npm, which npx runs.
func isMemory(word string) bool {
	name, _, _ := strings.Cut(strings.ToLower(path.Base(word)), "@")
	return slices.Contains([]string{"memory", "memory.exe", "memory.cmd", "surrealdb-memory"}, name)
}

// changesFolder are the names for cd, also PowerShell's.
var changesFolder = shell.SetOf(`cd pushd set-location sl chdir push-location popd`)

// ownPrograms lists the programs of this product that the client or the product itself starts.
var ownPrograms = shell.SetOf(`memoryd memory-mcp`)

var (
	shells       = shell.SetOf(`sh bash zsh dash ksh mksh fish ash busybox source . pwsh powershell cmd eval`)
	interpreters = shell.SetOf(`python node nodejs deno bun perl ruby php lua tclsh osascript awk gawk mawk julia Rscript`)
	powers       = shell.SetOf(`pwsh powershell cmd`)
	feeders      = shell.SetOf(`xargs parallel at batch crontab ssh su script make sed rg man bat`) // may run a text of the line
)

// showing lists programs that only show something. The programs in showingWith do, too, unless an argument matches a
// text in their list.
var (
	showing        = shell.SetOf(`for case select done fi esac } break continue echo printf cat head tail nl tac rev fold fmt paste comm join od hexdump strings zcat zgrep more grep egrep fgrep ag ls wc diff cmp cut tr jq column stat file which type whereis test [ [[ true false : basename dirname realpath readlink pwd date du df ps pgrep export local declare readonly typeset read return exit set shopt wait sleep md5sum sha256sum`)
	showingCmdlets = shell.SetOf(`get-content gc select-string sls write-host write-output`)
	showingWith    = map[string][]string{
		"sed": {"-i", "--in-place", "w "}, "find": {"-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fls"}, "fd": {"-x", "-X", "--exec"}, "awk": {"system(", "|", ">", "-i", "--include", "-f", "--file"},
		"git": {"alias.", "foreach", "bisect", "-x", "--exec", "core.", "config", "-o", "-O", "--output"},
		"rg":  {"--pre"}, "man": {"-P", "--pager"}, "bat": {"--pager"}, "sort": {"-o", "--output"}, "tree": {"-o"}, "yq": {"-i", "--inplace"}, "less": {"-o", "-O", "--log-file"}, "gh": {"-D", "--dir", "-O", "--output"},
	}
	gitShows     = shell.SetOf(`status diff log show blame grep rev-parse ls-files ls-remote ls-tree describe cat-file reflog shortlog branch remote config rev-list merge-base`)
	measures     = shell.SetOf(`test [ [[`) // print nothing
	messaged     = shell.SetOf(`git gh glab claude codex memory`)
	messageFlags = shell.SetOf(`-m -am --message --title --body --description --notes`)
	copiers      = shell.SetOf(`cp install scp mv ln`)
	recursive    = shell.SetOf(`grep egrep fgrep rg ag find fd`) // read all files of a folder
	rejoining    = shell.SetOf(`eval watch ssh`)                 // make one text of their words, which a shell reads
	ghShows      = shell.SetOf(`view list status diff checks search watch browse clone checkout auth`)
	takesAll     = shell.SetOf(`remove-item ri rd rmdir del erase move-item mi rename-item rni ren rm mv find chmod chown ln mount`)
	mounts       = shell.SetOf(`docker podman nerdctl`)
	fills        = shell.SetOf(`git tar bsdtar unzip 7z cpio`) // write many files into a folder

	wrappers = shell.SetOf(`env sudo doas nohup timeout nice ionice setsid stdbuf command exec builtin time watch flock xargs parallel unshare chroot systemd-run trap`)
)
