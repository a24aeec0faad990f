package redact

import "strings"

// maxCommand is how far behind its program a command line is read.
const maxCommand = 1024

// maxArguments is how many arguments of a command line are looked at.
const maxArguments = 48

// argument is one word of a command line, without its quotation marks.
type argument struct {
	from, to int
	quoted   bool
}

// span is a part of a text that must be removed.
type span struct {
	from, to int
	kind     string
}

// program is how a program takes secrets on its command line.
type program struct {
	name string
	// Flags whose next argument is the secret, blank between them, and whether
	// that may stand at the flag itself ("-pSECRET").
	flags  string
	joined string
	// Flags whose argument is name and secret with one of these signs between.
	pairs string
	signs string
	// needs is a word that the line has to hold for flags to mean this.
	needs string
	// more finds what flags do not tell.
	more func(l commandLine) []span
}

var programs = [...]program{
	{name: "sshpass", flags: "-p", joined: "-p"},
	{name: "mysql", joined: "-p"},
	{name: "mysqldump", joined: "-p"},
	{name: "mysqladmin", joined: "-p", more: afterWord("password", Password)},
	{name: "mysqlimport", joined: "-p"},
	{name: "mysqlsh", joined: "-p"},
	{name: "mysqlshow", joined: "-p"},
	{name: "mycli", joined: "-p"},
	{name: "mariadb", joined: "-p"},
	{name: "mariadb-dump", joined: "-p"},
	{name: "mariadb-admin", joined: "-p"},
	{name: "redis-cli", flags: "-a --pass", more: afterWord("auth", Password)},
	{name: "valkey-cli", flags: "-a --pass", more: afterWord("auth", Password)},
	{name: "keydb-cli", flags: "-a --pass"},
	{name: "docker", flags: "-p", needs: "login"},
	{name: "podman", flags: "-p", needs: "login"},
	{name: "nerdctl", flags: "-p", needs: "login"},
	{name: "buildah", flags: "-p", needs: "login"},
	{name: "skopeo", flags: "-p", pairs: "--creds --src-creds --dest-creds", signs: ":"},
	{name: "crane", flags: "-p", needs: "login"},
	{name: "oras", flags: "-p", needs: "login"},
	{name: "helm", flags: "-p", needs: "login"},
	{name: "oc", flags: "-p", needs: "login"},
	{name: "argocd", flags: "--grpc-web-root-path", needs: "login"},
	{name: "az", flags: "-p", needs: "login"},
	{name: "cf", flags: "-p", needs: "login"},
	{name: "doctl", flags: "-t"},
	{name: "ibmcloud", flags: "-p", needs: "login"},
	{name: "tea", flags: "-t"},
	{name: "twine", flags: "-p"},
	{name: "prefect", flags: "-k"},
	{name: "dotnet", flags: "-k -p", needs: "nuget"},
	{name: "nuget", flags: "-ApiKey -Password -p"},
	{name: "curl", flags: "--oauth2-bearer --pass --proxy-pass --tlspassword", pairs: "-u --user -U --proxy-user", joined: "", signs: ":"},
	{name: "http", pairs: "-a --auth", signs: ":", flags: ""},
	{name: "https", pairs: "-a --auth", signs: ":"},
	{name: "xh", pairs: "-a --auth", signs: ":"},
	{name: "xhs", pairs: "-a --auth", signs: ":"},
	{name: "wget", flags: "--http-password --ftp-password --proxy-password"},
	{name: "ab", pairs: "-A -P", signs: ":"},
	{name: "lftp", pairs: "-u", signs: ",:"},
	{name: "ncftpput", flags: "-p"},
	{name: "ncftpget", flags: "-p"},
	{name: "ncftp", flags: "-p"},
	{name: "smbclient", pairs: "-U --user", signs: "%", more: smbPassword},
	{name: "rpcclient", pairs: "-U --user", signs: "%"},
	{name: "smbget", pairs: "-U --user", signs: "%"},
	{name: "smbmap", flags: "-p"},
	{name: "crackmapexec", flags: "-p"},
	{name: "netexec", flags: "-p"},
	{name: "nxc", flags: "-p"},
	{name: "evil-winrm", flags: "-p"},
	{name: "winexe", pairs: "-U", signs: "%"},
	{name: "psexec", flags: "-p"},
	{name: "wmic", flags: "/password"},
	{name: "rdesktop", flags: "-p"},
	{name: "plink", flags: "-pw"},
	{name: "pscp", flags: "-pw"},
	{name: "psftp", flags: "-pw"},
	{name: "putty", flags: "-pw"},
	{name: "openssl", flags: "-k -K", more: opensslPassword},
	{name: "keytool", flags: "-storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass -new"},
	{name: "jarsigner", flags: "-storepass -keypass"},
	{name: "apksigner", more: opensslPassword},
	{name: "gpg", flags: "--passphrase"},
	{name: "gpg2", flags: "--passphrase"},
	{name: "ssh-keygen", flags: "-N -P"},
	{name: "zip", flags: "-P --password", joined: "-P"},
	{name: "unzip", flags: "-P", joined: "-P"},
	{name: "7z", joined: "-p"},
	{name: "7za", joined: "-p"},
	{name: "7zz", joined: "-p"},
	{name: "7zr", joined: "-p"},
	{name: "rar", joined: "-p -hp"},
	{name: "unrar", joined: "-p -hp"},
	{name: "qpdf", more: nil, flags: "--password"},
	{name: "pdftk", more: afterWord("user_pw", Password)},
	{name: "ldapsearch", flags: "-w", joined: "-w"},
	{name: "ldapadd", flags: "-w", joined: "-w"},
	{name: "ldapmodify", flags: "-w", joined: "-w"},
	{name: "ldapdelete", flags: "-w", joined: "-w"},
	{name: "ldapcompare", flags: "-w", joined: "-w"},
	{name: "ldapmodrdn", flags: "-w", joined: "-w"},
	{name: "ldapwhoami", flags: "-w", joined: "-w"},
	{name: "ldappasswd", flags: "-w -s -a"},
	{name: "mongo", flags: "-p", joined: ""},
	{name: "mongosh", flags: "-p"},
	{name: "mongodump", flags: "-p"},
	{name: "mongorestore", flags: "-p"},
	{name: "mongoimport", flags: "-p"},
	{name: "mongoexport", flags: "-p"},
	{name: "mongostat", flags: "-p"},
	{name: "mongotop", flags: "-p"},
	{name: "cqlsh", flags: "-p"},
	{name: "nodetool", flags: "-pw"},
	{name: "influx", flags: "-password -p -t"},
	{name: "arangosh", flags: "--server.password"},
	{name: "cypher-shell", flags: "-p"},
	{name: "cbq", flags: "-p"},
	{name: "couchbase-cli", flags: "-p"},
	{name: "surreal", flags: "-p --pass"},
	{name: "sqlcmd", flags: "-P", joined: "-P"},
	{name: "bcp", flags: "-P", joined: "-P"},
	{name: "osql", flags: "-P", joined: "-P"},
	{name: "isql", flags: "-P", joined: "-P"},
	{name: "tsql", flags: "-P"},
	{name: "sqlplus", more: oraclePassword},
	{name: "sqlldr", more: oraclePassword},
	{name: "expdp", more: oraclePassword},
	{name: "impdp", more: oraclePassword},
	{name: "rman", more: oraclePassword},
	{name: "exp", more: oraclePassword},
	{name: "imp", more: oraclePassword},
	{name: "rabbitmqctl", more: rabbitPassword},
	{name: "rabbitmqadmin", flags: "-p"},
	{name: "mosquitto_pub", flags: "-P"},
	{name: "mosquitto_sub", flags: "-P"},
	{name: "mosquitto_passwd", more: lastArgument("b")},
	{name: "htpasswd", more: lastArgument("b")},
	{name: "htdigest", more: lastArgument("b")},
	{name: "net", more: netPassword},
	{name: "net.exe", more: netPassword},
	{name: "useradd", flags: "-p"},
	{name: "usermod", flags: "-p"},
	{name: "dscl", more: afterWord("-passwd", Password)},
	{name: "security", flags: "-w -p"},
	{name: "wpa_passphrase", more: lastArgument("")},
	{name: "nmcli", more: afterWord("password", Password)},
	{name: "snmpwalk", flags: "-A -X"},
	{name: "snmpget", flags: "-A -X"},
	{name: "snmpset", flags: "-A -X"},
	{name: "snmpbulkwalk", flags: "-A -X"},
	{name: "ipmitool", flags: "-P"},
	{name: "composer", more: composerPassword},
	{name: "poetry", more: composerPassword},
	{name: "setenv", more: setPairs},
	{name: "aws", flags: "--secret-string", more: parameterValue},
	{name: "gh", flags: "-b --body", needs: "secret"},
	{name: "kubectl", more: literals},
	{name: "vault", flags: "", more: loginArgument},
	{name: "snyk", more: loginArgument},
	{name: "cargo", more: loginArgument},
	{name: "shodan", more: loginArgument},
	{name: "echo", more: pipedSecret},
	{name: "printf", more: pipedSecret},
	{name: "sudo", more: hereSecret},
	{name: "chpasswd", more: hereSecret},
	{name: "send", more: expectSend},
	{name: "auth", more: redisAuth},
	{name: "ConvertTo-SecureString", flags: "-String", more: firstArgument},
	{name: "NickServ", more: afterWord("identify", Password)},
	{name: "bw", more: afterWord("unlock", Password)},
	{name: "bundle", more: anyPair},
	{name: "mc", more: keyPair},
	{name: "b2", more: keyPair},
	{name: "addauth", more: anyPair},
	{name: "db2", more: afterWord("using", Password)},
	{name: ".LOGON", more: logon},
	{name: "restic", flags: "--password"},
	{name: "borg", flags: "--passphrase"},
	{name: "kinit", flags: "--password"},
	{name: "tailscale", flags: "--authkey --auth-key"},
	{name: "fly", flags: "-t --access-token"},
	{name: "flyctl", flags: "-t --access-token"},
	{name: "vercel", flags: "-t --token"},
	{name: "netlify", flags: "--auth"},
	{name: "heroku", more: setPairs},
	{name: "setx", more: setPairs},
	{name: "xfreerdp", more: slashPassword},
	{name: "mstsc", more: slashPassword},
	{name: "cmdkey", more: slashPassword},
}

// programsBy finds a program by its name; programLengths by first letter which
// lengths its names have, so that most words cost one look.
var (
	programsBy     = indexOf(len(programs), func(i int) byte { return hashOf(programs[i].name) })
	programLengths = func() (table [128]uint32) {
		for i := range programs {
			table[lower(programs[i].name[0])] |= 1 << len(programs[i].name)
		}
		return table
	}()
)

// programOf is the program that is called name, or nil.
func programOf(name string) *program {
	for at := programsBy.first[hashOf(name)]; at != 0; at = programsBy.next[at] {
		if programs[at-1].name == name {
			return &programs[at-1]
		}
	}
	return nil
}

// commandAt is the program whose name is s[from:to], or nil. The name must be
// where a command begins, or at least a separate word.
func commandAt(s string, from, to int) *program {
	first := lower(s[from])
	if first >= 128 || to-from > 31 || programLengths[first]&(1<<(to-from)) == 0 {
		return nil
	}
	if to >= len(s) || (s[to] != ' ' && s[to] != '\t') || from > 0 && (s[from-1] == '.' || s[from-1] == ':' || s[from-1] == '@') {
		return nil
	}
	p := programOf(s[from:to])
	if p == nil && s[from] == 'A' && s[from:to] == "AUTH" { // as in the protocol of Redis
		p = programOf("auth")
	} else if p != nil && p.name == "auth" {
		return nil
	}
	return p
}

// commandLine is the words behind a program's name, up to the end of the command.
type commandLine struct {
	s    string
	at   int // where the program's name begins
	args []argument
	end  int
}

func (l commandLine) text(i int) string { return l.s[l.args[i].from:l.args[i].to] }

// readCommand reads the words of the command whose program is s[from:to].
func readCommand(s string, from, to int) commandLine {
	l := commandLine{s: s, at: from}
	stop := min(len(s), to+maxCommand)
	i := to
	for i < stop && len(l.args) < maxArguments {
		for i < stop && (s[i] == ' ' || s[i] == '\t' || s[i] == '\\' && i+1 < stop && s[i+1] == '\n') {
			if s[i] == '\\' {
				i++
			}
			i++
		}
		if i >= stop || endsCommand(s[i]) {
			break
		}
		word, next := readWord(s, i, stop)
		l.args = append(l.args, word)
		i = next
	}
	l.end = i
	return l
}

func endsCommand(c byte) bool { return c == '\n' || c == '\r' || c == '|' || c == ';' || c == ')' }

// readWord reads one word: wholly in quotation marks, or up to a blank, with
// quoted parts in it.
func readWord(s string, i, stop int) (argument, int) {
	if quote := quoteAt(s, i); quote != "" {
		from := i + len(quote)
		to := from + len(quotedText(s[from:stop], quote))
		next := min(stop, to+len(quote))
		if next >= stop || isBlank(s[next]) || endsCommand(s[next]) || s[next] == ',' || s[next] == '.' {
			return argument{from: from, to: to, quoted: true}, max(next, i+1)
		}
	}
	from := i
	for i < stop && !isBlank(s[i]) && !endsCommand(s[i]) {
		if s[i] == '"' || s[i] == '\'' {
			quoted := quotedText(s[i+1:stop], s[i:i+1])
			if end := i + 1 + len(quoted); end < stop && s[end] == s[i] {
				i = end
			}
		}
		i++
	}
	to := i
	if to > from+1 && (s[to-1] == '`' || s[to-1] == '"') && s[from] != s[to-1] && strings.IndexByte(s[from:to-1], s[to-1]) < 0 {
		to-- // it ends what the whole command stands in
	}
	return argument{from: from, to: to}, max(i, from+1)
}

// has reports that one of the words, separated by blanks, is the given one.
func has(list, word string) bool {
	for one := range strings.SplitSeq(list, " ") {
		if one == word && word != "" {
			return true
		}
	}
	return false
}

// secrets are the parts of a command line that must be removed.
func (p *program) secrets(l commandLine) []span {
	var found []span
	if p.needs == "" || l.holds(p.needs) {
		for i := range l.args {
			found = p.flag(l, i, found)
		}
	}
	if p.more != nil {
		found = append(found, p.more(l)...)
	}
	return found
}

func (l commandLine) holds(word string) bool {
	for i := range l.args {
		if l.text(i) == word {
			return true
		}
	}
	return false
}

func (p *program) flag(l commandLine, i int, found []span) []span {
	word := l.text(i)
	if len(word) < 2 || word[0] != '-' && word[0] != '/' {
		return found
	}
	next := i + 1
	switch {
	case has(p.flags, word) && next < len(l.args):
		return l.take(found, l.args[next])
	case has(p.pairs, word) && next < len(l.args):
		return l.takePair(found, l.args[next], p.signs)
	}
	for flag := range strings.SplitSeq(p.joined, " ") {
		if flag != "" && strings.HasPrefix(word, flag) && len(word) > len(flag) && word[1] != '-' {
			return l.take(found, l.inner(l.args[i].from+len(flag), l.args[i].to))
		}
	}
	for flag := range strings.SplitSeq(p.pairs, " ") {
		if flag != "" && strings.HasPrefix(word, flag) && len(word) > len(flag) && (word[1] != '-' || word[len(flag)] == '=') {
			return l.takePair(found, l.inner(l.args[i].from+len(flag), l.args[i].to), p.signs)
		}
	}
	return found
}

// inner is a part of a word, without "=" and the quotation marks around it.
func (l commandLine) inner(from, to int) argument {
	if from < to && l.s[from] == '=' {
		from++
	}
	a := argument{from: from, to: to}
	if quote := quoteAt(l.s[:to], from); quote != "" && to-from > 2*len(quote) && strings.HasSuffix(l.s[from:to], quote) {
		a = argument{from: from + len(quote), to: to - len(quote), quoted: true}
	}
	return a
}

// take adds an argument unless something else stands in the place of a secret.
func (l commandLine) take(found []span, a argument) []span {
	value := l.s[a.from:a.to]
	if len(value) < 3 || isPlaceholder(window(value, decisionWindow)) || value[0] == '-' || !a.quoted && isPath(value) || strings.HasPrefix(value, "/dev/") {
		return found
	}
	if strings.HasPrefix(value, "env:") || strings.HasPrefix(value, "file:") || isPorts(value) {
		return found
	}
	return append(found, span{a.from, a.to, Password})
}

// isPorts recognises 80, 8080:80 and 1-1024.
func isPorts(s string) bool {
	digits := 0
	for i := range len(s) {
		switch {
		case isDigit(s[i]):
			digits++
		case s[i] != ':' && s[i] != '-' && s[i] != ',':
			return false
		}
	}
	return digits < 6 || strings.ContainsAny(s, ":,")
}

func (l commandLine) takePair(found []span, a argument, signs string) []span {
	at := strings.IndexAny(l.s[a.from:a.to], signs)
	if at < 0 {
		return found
	}
	value := l.s[a.from+at+1 : a.to]
	if value == "" || isPlaceholder(window(value, decisionWindow)) {
		return found
	}
	return append(found, span{a.from + at + 1, a.to, Password})
}

// afterWord takes the argument behind a word.
func afterWord(word, _ string) func(commandLine) []span {
	return func(l commandLine) []span {
		for i := range len(l.args) - 1 {
			if hasFold(l.text(i), 0, word) && len(l.text(i)) == len(word) {
				return l.take(nil, l.args[i+1])
			}
		}
		return nil
	}
}

// lastArgument takes the last argument, if there is a flag with the given letter.
func lastArgument(letter string) func(commandLine) []span {
	return func(l commandLine) []span {
		n := len(l.args)
		given := letter == ""
		plain := 0
		for i := range l.args {
			word := l.text(i)
			if word == "" || word[0] != '-' {
				plain++
			} else if strings.Contains(word, letter) && letter != "" {
				given = true
			}
		}
		if !given || plain < 2 || n == 0 {
			return nil
		}
		return l.take(nil, l.args[n-1])
	}
}

// firstArgument takes the first one, if it stands in quotation marks.
func firstArgument(l commandLine) []span {
	if len(l.args) == 0 || !l.args[0].quoted {
		return nil
	}
	return l.take(nil, l.args[0])
}

// opensslPassword takes what stands behind "pass:".
func opensslPassword(l commandLine) []span {
	var found []span
	for i := range l.args {
		if a := l.args[i]; strings.HasPrefix(l.text(i), "pass:") {
			found = l.take(found, l.inner(a.from+len("pass:"), a.to))
		}
	}
	return found
}

// oraclePassword takes the password of user/password@service.
func oraclePassword(l commandLine) []span {
	for i := range l.args {
		a := l.args[i]
		user, rest, ok := strings.Cut(l.text(i), "/")
		at := strings.LastIndexByte(rest, '@')
		if at < 0 {
			at = len(rest)
		}
		if !ok || user == "" || !isDottedName(user) || at < 4 || strings.Contains(rest[:at], "/") || strings.HasPrefix(rest, ".") {
			continue
		}
		from := a.from + len(user) + 1
		return l.take(nil, argument{from: from, to: from + at})
	}
	return nil
}

func smbPassword(l commandLine) []span {
	plain := 0
	for i := range l.args {
		word := l.text(i)
		if i > 0 && has("-U -W -I -p -c -m", l.text(i-1)) {
			continue
		}
		if word != "" && word[0] != '-' {
			plain++
			if plain == 2 && isOdd(word) {
				return l.take(nil, l.args[i])
			}
		}
	}
	return nil
}

func rabbitPassword(l commandLine) []span {
	for i := range l.args {
		if has("add_user change_password authenticate_user", l.text(i)) && i+2 < len(l.args) {
			return l.take(nil, l.args[i+2])
		}
	}
	return nil
}

// netPassword takes the password of "net use" and "net user".
func netPassword(l commandLine) []span {
	if len(l.args) < 3 {
		return nil
	}
	first := 1
	switch strings.ToLower(l.text(0)) {
	case "use":
		for first < len(l.args) && (strings.HasSuffix(l.text(first), ":") || strings.HasPrefix(l.text(first), `\\`) || l.text(first) == "*") {
			first++
		}
	case "user":
		first = 2
	default:
		return nil
	}
	if first >= len(l.args) || l.text(first) == "*" || strings.HasPrefix(l.text(first), "/") {
		return nil
	}
	return l.take(nil, l.args[first])
}

func composerPassword(l commandLine) []span {
	for i := range l.args {
		word := l.text(i)
		switch {
		case strings.HasPrefix(word, "http-basic.") && i+2 < len(l.args):
			return l.take(nil, l.args[i+2])
		case (strings.HasPrefix(word, "github-oauth.") || strings.HasPrefix(word, "gitlab-token.") || strings.HasPrefix(word, "pypi-token.") || strings.HasPrefix(word, "bearer.")) && i+1 < len(l.args):
			return l.take(nil, l.args[i+1])
		}
	}
	return nil
}

// parameterValue takes the value of an AWS parameter that is to be kept secret.
func parameterValue(l commandLine) []span {
	if !l.holds("SecureString") && !l.holds("--master-user-password") {
		return nil
	}
	return l.after("--value --master-user-password")
}

func (l commandLine) after(flags string) []span {
	var found []span
	for i := range len(l.args) - 1 {
		if has(flags, l.text(i)) {
			found = l.take(found, l.args[i+1])
		}
	}
	return found
}

// literals takes what becomes a secret of Kubernetes.
func literals(l commandLine) []span {
	if !l.holds("secret") || !l.holds("create") {
		return nil
	}
	var found []span
	for i, a := range l.args {
		from := a.from
		switch word := l.text(i); {
		case word == "--from-literal" && i+1 < len(l.args):
			a = l.args[i+1]
			from = a.from
		case strings.HasPrefix(word, "--from-literal="):
			from += len("--from-literal=")
		default:
			continue
		}
		if at := strings.IndexByte(l.s[from:a.to], '='); at > 0 && kindOfName(l.s[from:from+at]) != "" || at > 0 && isOdd(l.s[from+at+1:a.to]) {
			found = l.take(found, l.inner(from+at+1, a.to))
		}
	}
	return found
}

// loginArgument takes what "vault login" and the like are given.
func loginArgument(l commandLine) []span {
	for i := range len(l.args) - 1 {
		if has("login auth init", l.text(i)) && len(l.text(i+1)) >= 16 && (isOdd(l.text(i+1)) || isMachineMade(l.text(i+1))) {
			return l.take(nil, l.args[i+1])
		}
	}
	return nil
}

// setPairs takes NAME=VALUE and NAME VALUE with the name of a secret.
func setPairs(l commandLine) []span {
	for i := range len(l.args) - 1 {
		if name := l.text(i); kindOfName(name) != "" && isOdd(l.text(i+1)) {
			return l.take(nil, l.args[i+1])
		}
	}
	return nil
}

// keyPair takes the last two arguments, the key and its secret, if a machine made
// the last one.
func keyPair(l commandLine) []span {
	n := len(l.args)
	if n < 3 || !isMachineMade(l.text(n-1)) {
		return nil
	}
	found := l.take(nil, l.args[n-1])
	if isMachineMade(l.text(n - 2)) {
		found = l.take(found, l.args[n-2])
	}
	return found
}

// logon takes the password of "host/user,SECRET".
func logon(l commandLine) []span {
	if len(l.args) == 0 {
		return nil
	}
	return l.takePair(nil, l.args[0], ",")
}

// anyPair takes the password of an argument that is user:password.
func anyPair(l commandLine) []span {
	for _, a := range l.args {
		if found, ok := userAndPassword(l.s, a.from, a.to); ok {
			return []span{found}
		}
	}
	return nil
}

// slashPassword takes /p:SECRET and /pass:SECRET.
func slashPassword(l commandLine) []span {
	var found []span
	for i, a := range l.args {
		name, _, ok := strings.Cut(l.text(i), ":")
		if ok && has("/p /pass /password /pw /gp /rp", strings.ToLower(name)) {
			found = l.take(found, l.inner(a.from+len(name)+1, a.to))
		}
	}
	return found
}

// readers are programs that read a secret from their standard input, and what
// their line then has to hold.
var readers = [...]struct{ name, with string }{
	{"chpasswd", ""},
	{"sudo", "-S"},
	{"passwd", "--stdin"},
	{"docker", "--password-stdin"},
	{"podman", "--password-stdin"},
	{"helm", "--password-stdin"},
	{"crane", "--password-stdin"},
	{"oras", "--password-stdin"},
	{"cryptsetup", ""},
	{"gcloud", "secrets"},
	{"gh", "--with-token"},
	{"gh", "secret set"},
	{"kinit", ""},
	{"smbpasswd", "-s"},
	{"openssl", "stdin"},
	{"htpasswd", "-i"},
	{"su", ""},
	{"gpg", "--passphrase-fd"},
	{"pass", "insert"},
	{"vault", "-"},
	{"wrangler", "secret put"},
	{"vercel", "env add"},
	{"flyctl", "secrets"},
	{"wg", "pubkey"},
	{"wpa_passphrase", ""},
	{"security", ""},
	{"az", "login"},
	{"ssh-add", "-"},
	{"argocd", "login"},
	{"doppler", "secrets set"},
	{"faillock", ""},
}

// pipedSecret takes what echo hands to a program that reads a secret.
func pipedSecret(l commandLine) []span {
	for i := 1; i+1 < len(l.args); i++ {
		if has("> >>", l.text(i)) && namesSecret(l.text(i+1)) && (isMachineMade(l.text(i-1)) || isOdd(l.text(i-1))) {
			return l.take(nil, l.args[i-1])
		}
	}
	if l.end >= len(l.s) || l.s[l.end] != '|' || len(l.args) == 0 {
		return nil
	}
	rest := window(l.s[l.end+1:], 256)
	rest, _, _ = strings.Cut(rest, "\n")
	fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(rest), "sudo "))
	if strings.HasPrefix(strings.TrimSpace(rest), "sudo -S") {
		fields = []string{"sudo"}
	}
	if len(fields) == 0 {
		return nil
	}
	if strings.Contains(rest, "stdin") && (strings.Contains(rest, "pass") || strings.Contains(rest, "token")) {
		return l.take(nil, l.args[len(l.args)-1])
	}
	for _, r := range readers {
		if fields[0] != r.name || !strings.Contains(rest, r.with) {
			continue
		}
		a := l.args[len(l.args)-1]
		if r.name == "chpasswd" {
			return l.takePair(nil, a, ":")
		}
		return l.take(nil, a)
	}
	return nil
}

// namesSecret reports that a file's name is that of a secret: config/master.key, .token.
func namesSecret(file string) bool {
	base := file[strings.LastIndexByte(file, '/')+1:]
	stem := strings.TrimSuffix(strings.TrimSuffix(base, ".txt"), ".key")
	return stem != "" && (stem != base && strings.HasSuffix(base, ".key") || kindOfName(stem) != "" || likelyKind(stem) != "") && !strings.Contains(base, "pub")
}

// hereSecret takes what "<<<" gives to sudo -S and chpasswd.
func hereSecret(l commandLine) []span {
	at := strings.Index(l.s[l.at:l.end], "<<<")
	if at < 0 || len(l.args) == 0 {
		return nil
	}
	for i, a := range l.args {
		from := a.from
		switch {
		case l.text(i) == "<<<" && i+1 < len(l.args):
			a = l.args[i+1]
			from = a.from
		case strings.HasPrefix(l.text(i), "<<<"):
			from += len("<<<")
		default:
			continue
		}
		inner := l.inner(from, a.to)
		if strings.HasPrefix(l.s[l.at:], "chpasswd") {
			return l.takePair(nil, inner, ":")
		}
		if l.holds("-S") {
			return l.take(nil, inner)
		}
	}
	return nil
}

// expectSend takes what an expect script answers to a question for a password.
func expectSend(l commandLine) []span {
	if !strings.Contains(l.s[max(0, l.at-120):l.at], "assword") && !strings.Contains(l.s[max(0, l.at-120):l.at], "assphrase") {
		return nil
	}
	for i := range l.args {
		if word := l.text(i); word != "" && word[0] != '-' {
			return l.take(nil, l.args[i])
		}
	}
	return nil
}

// redisAuth takes the last argument of AUTH at the beginning of a line.
func redisAuth(l commandLine) []span {
	if n := len(l.args); (n == 1 || n == 2) && (l.at == 0 || l.s[l.at-1] == '\n' || l.s[l.at-1] == ' ') && isOdd(l.text(n-1)) {
		return l.take(nil, l.args[n-1])
	}
	return nil
}
