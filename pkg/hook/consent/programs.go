package consent

import "github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"

// changesFolder are the names for cd, also PowerShell's.
var changesFolder = shell.SetOf(`cd pushd set-location sl chdir push-location popd`)

// ownPrograms lists the programs of this product that the client or the product itself starts.
var ownPrograms = shell.SetOf(`memoryd memory-mcp memory-migrate`)

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
	gitShows  = shell.SetOf(`status diff log show blame grep rev-parse ls-files ls-remote ls-tree describe cat-file reflog shortlog branch remote config rev-list merge-base`)
	measures  = shell.SetOf(`test [ [[ wc du stat`) // give no text of a file, and no name
	copiers   = shell.SetOf(`cp install scp mv ln`)
	recursive = shell.SetOf(`grep egrep fgrep rg ag find fd`) // read all files of a folder
	rejoining = shell.SetOf(`eval watch ssh`)                 // make one text of their words, which a shell reads
	ghShows   = shell.SetOf(`view list status diff checks search watch browse clone checkout auth`)
	takesAll  = shell.SetOf(`remove-item ri rd rmdir del erase move-item mi rename-item rni ren rm mv find chmod chown ln mount`)
	mounts    = shell.SetOf(`docker podman nerdctl`)
	fills     = shell.SetOf(`git tar bsdtar unzip 7z cpio`) // write many files into a folder

	wrappers = shell.SetOf(`env sudo doas nohup timeout nice ionice setsid stdbuf command exec builtin time watch flock xargs parallel script unshare chroot systemd-run trap`)
)
