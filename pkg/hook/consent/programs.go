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
	feeders      = shell.SetOf(`xargs parallel at batch crontab ssh su script make`)
)

// showing lists programs that only show something. The programs in showingWith do, too, unless an argument matches a
// text in their list.
var (
	showing        = shell.SetOf(`for case select done fi esac } break continue echo printf cat bat head tail nl tac rev fold fmt paste comm join od hexdump strings zcat zgrep more grep egrep fgrep rg ag ls wc diff cmp cut tr jq column stat file which type whereis man test [ [[ true false : basename dirname realpath readlink pwd date du df ps pgrep export local declare readonly typeset read return exit set shopt wait sleep md5sum sha256sum`)
	showingCmdlets = shell.SetOf(`get-content gc select-string sls write-host write-output`)
	showingWith    = map[string][]string{
		"sed": {"-i", "--in-place", "w "}, "find": {"-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fls"}, "fd": {"-x", "-X", "--exec"}, "awk": {"system(", "|", ">", "-i", "--include", "-f", "--file"},
		"git":  {"alias.", "foreach", "bisect", "-x", "--exec", "core.", "config", "-o", "-O", "--output"},
		"sort": {"-o", "--output"}, "tree": {"-o"}, "yq": {"-i", "--inplace"}, "less": {"-o", "-O", "--log-file"}, "gh": {"-D", "--dir", "-O", "--output"},
	}
	// counting lists programs that show nothing of a file's text, and naming those that show names only, of which another program may read the files.
	// Their first word, or all words, of patterned and echoing are no files.
	counting  = shell.SetOf(`wc stat du df file test [ [[ md5sum sha256sum basename dirname realpath readlink which type`)
	naming    = shell.SetOf(`ls find fd tree echo printf`)
	patterned = shell.SetOf(`grep egrep fgrep rg ag sed awk jq yq zgrep`)
	echoing   = shell.SetOf(`echo printf`)
	listed    = shell.SetOf(`xargs parallel cpio -@ -T --files-from=-`)
	copiers   = shell.SetOf(`cp install rsync scp mv ln`)
	closings  = shell.SetOf(`done fi esac }`)
	rejoining = shell.SetOf(`eval watch ssh`) // make one text of their words, which a shell reads
	packers   = shell.SetOf(`tar zip 7z cpio bsdtar`)
	gitKeeps  = shell.SetOf(`commit notes tag hash-object fast-import`)
	ghShows   = shell.SetOf(`view list status diff checks search watch browse clone checkout auth`)
	gitWrites = shell.SetOf(`add am apply checkout cherry-pick clean merge mv pull read-tree rebase reset restore revert rm stash switch`)

	unpackers = shell.SetOf(`tar unzip 7z cpio bsdtar`)
	takesAll  = shell.SetOf(`remove-item ri rd rmdir del erase move-item mi rename-item rni ren rm mv find chmod chown ln mount`)
	// textFlags are flags whose value is a text, except for wrappers and shells. targetFlags are flags whose value is
	// a folder to write to.
	textFlags   = shell.SetOf(`-m --message --title --body --description --notes -k -t -run --run --grep --filter --testNamePattern`)
	targetFlags = shell.SetOf(`-C -d -t -D -o --directory --target-directory --output-dir`)

	wrappers = shell.SetOf(`env sudo doas nohup timeout nice ionice setsid stdbuf command exec builtin time watch flock xargs parallel script unshare chroot systemd-run trap`)
)
