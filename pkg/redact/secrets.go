package redact

import (
	"strings"
	"unicode/utf8"
)

const (
	markerStart = "[redacted:"

	// decisionWindow is how much of a value decides whether it is a secret. It
	// bounds the work at each place, and so keeps the whole linear.
	decisionWindow = 256

	// maxGap is how many blanks may stand at either side of a separator.
	maxGap = 16
)

// scan is one pass over a text. Positions only grow.
type scan struct {
	s      string
	out    []byte
	kept   int // s[:kept] is in out, or replaced
	report *Report

	nameEnd int // all bytes from here to it are those of a name; less: nothing is known

	runEnd int // end of the last run of word bytes that was measured
	// noKeyEnd is set when no "-----END" follows any more.
	noKeyEnd bool

	jwtEnd int // end of the token that would begin in that run; 0 unknown, -1 none

	pending    []span // what was found ahead, in order
	addressEnd int    // end of the last address that was looked at
	commandEnd int    // end of the last command line that was read
	nested     int    // programs that were read inside it

	hintEnd    int // end of the last keyword, after which a key is taken for one; 0 none
	hintKind   string
	againstEnd int // end of the last word that says of what follows that it is no secret

	unwrapped int // end of the last base64 that was looked into

	made []found // what is looked for everywhere

	manifest, keySet ternary // whether the text holds a Kubernetes secret, a JSON web key
}

type ternary int8

// holds answers once for the whole text whether it has one of the parts.
func (t *ternary) holds(s string, parts ...string) bool {
	if *t == 0 {
		*t = -1
		for _, one := range parts {
			if strings.Contains(s, one) {
				*t = 1
			}
		}
	}
	return *t > 0
}

func withoutSecrets(s string, report *Report) string {
	c := scan{s: s, report: report, hintEnd: -1, againstEnd: -1}
	for i := 0; i < len(s); {
		i = c.next(i)
	}
	if c.kept == 0 {
		return s
	}
	return c.everywhere(string(append(c.out, s[c.kept:]...)))
}

// everywhere removes a machine-made secret that was found in one place from all
// other places too, because a log often repeats a setting.
func (c *scan) everywhere(clean string) string {
	for _, secret := range c.made {
		if n := strings.Count(clean, secret.text); n > 0 {
			clean = strings.ReplaceAll(clean, secret.text, markerStart+secret.kind+"]")
			for range n {
				c.report.add(secret.kind)
			}
		}
	}
	return clean
}

// maxMade bounds how many secrets of one text are searched for in the whole text.
const maxMade = 32

// found is a secret that a machine made.
type found struct{ text, kind string }

// next removes a pending find at i, or examines i; it returns the next position.
func (c *scan) next(i int) int {
	for len(c.pending) > 0 && c.pending[0].from < i {
		c.pending = c.pending[1:]
	}
	if len(c.pending) > 0 && c.pending[0].from == i {
		p := c.pending[0]
		c.pending = c.pending[1:]
		if kind, end := c.token(i); end == p.to {
			p.kind = kind
		}
		c.replace(p.from, p.to, p.kind)
		return p.to
	}
	return c.step(i)
}

// ahead keeps what was found further on, unless something is known there.
func (c *scan) ahead(found ...span) {
	for _, one := range found {
		if one.to <= one.from || one.from < c.kept || strings.Contains(c.s[one.from:one.to], markerStart) {
			continue
		}
		at := 0
		for at < len(c.pending) && c.pending[at].to <= one.from {
			at++
		}
		if at < len(c.pending) && c.pending[at].from < one.to {
			continue
		}
		c.pending = append(c.pending, span{})
		copy(c.pending[at+1:], c.pending[at:])
		c.pending[at] = one
	}
}

// step looks at one place and returns the next.
func (c *scan) step(i int) int {
	switch b := c.s[i]; {
	case b == '-' && strings.HasPrefix(c.s[i:], pemBegin):
		if end := c.privateKey(i); end > i {
			c.replace(i, end, PrivateKey)
			return end
		}
		return i + len(pemBegin)
	case isIdentByte(b):
		return c.identifier(i)
	case b == '[':
		if i == 0 || c.s[i-1] == '\n' {
			line, _, _ := strings.Cut(window(c.s[i:], decisionWindow), "\n")
			if from, ok := relayLine(strings.TrimRight(line, "\r")); ok {
				c.ahead(span{i + from, i + len(strings.TrimRight(line, "\r")), Password})
			}
		}
		return skipMarker(c.s, i)
	case b == ':' && strings.HasPrefix(c.s[i:], "://"):
		return c.address(i + len("://"))
	case b == '$' && i+24 < len(c.s) && (i == 0 || !isAlnum(c.s[i-1])):
		return c.passwordHash(i)
	case b >= utf8.RuneSelf:
		return c.foreign(i)
	}
	return i + 1
}

// replace puts a marker in the place of s[from:to].
func (c *scan) replace(from, to int, kind string) {
	c.out = append(c.out, c.s[c.kept:from]...)
	c.out = append(c.out, markerStart...)
	c.out = append(c.out, kind...)
	c.out = append(c.out, ']')
	c.kept = to
	c.report.add(kind)
	if secret := c.s[from:to]; len(c.made) < maxMade && len(secret) <= decisionWindow && !strings.Contains(secret, markerStart) && isMachineMade(secret) {
		c.made = append(c.made, found{secret, kind})
	}
}

// skipMarker passes over a marker of an earlier pass.
func skipMarker(s string, i int) int {
	if !strings.HasPrefix(s[i:], markerStart) {
		return i + 1
	}
	end := i + len(markerStart)
	for end < len(s) && (s[end] == '-' || isDigit(s[end]) || 'a' <= s[end] && s[end] <= 'z') {
		end++
	}
	if end < len(s) && s[end] == ']' {
		return end + 1
	}
	return i + 1
}

// isIdentByte reports bytes of names such as "db.API-key_2".
func isIdentByte(b byte) bool { return sets[b]&dotted != 0 }

// identifier handles a name that begins at i: tokens inside it, then what it is
// assigned, what the command it names is given, and what a sentence says of it.
func (c *scan) identifier(i int) int {
	limit := len(c.s)
	if len(c.pending) > 0 {
		limit = c.pending[0].from
	}
	end := max(i, min(c.nameEnd, limit))
	for end < limit && sets[c.s[end]]&dotted != 0 {
		end++
	}
	c.nameEnd = end
	if c.mayHoldToken(i, end) {
		kind, from, to := c.tokenIn(i, end)
		if to > from {
			c.replace(from, to, kind)
			return to
		}
		end = from
	}
	if to := c.lineStart(i); to > i {
		return to
	}
	if p := commandAt(c.s, i, end); p != nil {
		c.command(p, i, end)
	}
	if c.s[i] == '-' && has("-u --user --userpwd --auth --basic-auth --creds --credentials", c.s[i:end]) && end < len(c.s) && (c.s[end] == ' ' || c.s[end] == '=') {
		word, _ := readWord(c.s, end+1, min(len(c.s), end+maxSentence))
		if found, ok := userAndPassword(c.s, word.from, word.to); ok {
			c.ahead(found)
		}
	}
	if end-i == 2 && (c.s[i:end] == "-t" || c.s[i:end] == "-k") && end < len(c.s) && c.s[end] == ' ' {
		if word, _ := readWord(c.s, end+1, min(len(c.s), end+decisionWindow)); isMachineMade(c.s[word.from:word.to]) {
			c.ahead(span{word.from, word.to, Token})
		}
	}
	if end-i == 2 && (c.s[i:end] == "-p" || c.s[i:end] == "-P") && end < len(c.s) && c.s[end] == ' ' && namesUser(c.s, i) {
		word, _ := readWord(c.s, end+1, min(len(c.s), end+decisionWindow))
		if value := c.s[word.from:word.to]; isOdd(value) && !isUnit(value) && !looksLikeHost(value) {
			c.ahead(span{word.from, word.to, Password})
		}
	}
	if found, ok := call(c.s, i, end); ok {
		c.ahead(found)
	}
	if value, ok := c.valueOf(i, end); ok {
		to := value.end(c.s)
		c.replace(value.from, to, value.kindOf(c, to))
		return to
	}
	if k := keywordAt(c.s[i:end]); k != nil {
		c.keyword(k, i, end)
		return end
	}
	return c.near(i, end)
}

// namesUser reports that a command line names a user before i.
func namesUser(s string, i int) bool {
	line := s[max(0, i-decisionWindow):i]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	for _, flag := range [...]string{" -u ", " -U ", " --user ", " --user=", " --username "} {
		if strings.Contains(line, flag) {
			return true
		}
	}
	return false
}

// leastSolid is the length in bytes of the shortest token that is recognised without a
// name beside it, except numbers in groups.
const leastSolid = 10

// mayHoldToken reports whether the name c.s[i:end] may be a token, begin one or contain
// one. Most words are too short, and the check of the length is the cheapest.
func (c *scan) mayHoldToken(i, end int) bool {
	if end-i >= leastSolid || end < len(c.s) && sets[c.s[end]]&solid != 0 {
		return true
	}
	switch first := c.s[i]; {
	case end-i < 4:
		return false
	case isDigit(first):
		return true // the first group of a card's number
	case 'A' <= first && first <= 'Z':
		return isDigit(c.s[i+2]) || first == 'F' // of an account's, or Fly's token
	}
	return false
}

// tokenIn finds the first token that begins in the name c.s[i:end]. Without one, from
// is where the name ends: before a private key, it may be earlier.
func (c *scan) tokenIn(i, end int) (kind string, from, to int) {
	for from = i; from < end; from++ {
		b := c.s[from]
		if b == '-' && from > i && strings.HasPrefix(c.s[from:], pemBegin) {
			break
		}
		if sets[b]&alnum == 0 || from != c.kept && from > 0 && sets[c.s[from-1]]&alnum != 0 {
			continue
		}
		if kind, to = c.token(from); to <= from {
			kind, to = c.wrapped(from)
		}
		if to > from {
			return kind, from, to
		}
	}
	return "", from, from
}

// command reads the command line of a program. In one that was read already a few
// more programs are looked at: "kubectl exec pod -- mysql -p...".
func (c *scan) command(p *program, from, to int) {
	if from >= c.commandEnd {
		c.nested = 0
	} else if c.nested++; c.nested > 3 {
		return
	}
	line := readCommand(c.s, from, to)
	c.commandEnd = max(c.commandEnd, line.end)
	c.ahead(p.secrets(line)...)
}

// keyword looks for the secret that a sentence tells after a keyword.
func (c *scan) keyword(k *keyword, from, to int) {
	if k.role == against {
		c.againstEnd = to
		return
	}
	if c.againstEnd >= 0 && from-c.againstEnd <= 2 {
		return // "the public key", "a cache key"
	}
	if found, ok := before(c.s, from, k); ok && found.from >= c.kept && (k.role == ofKey || k.role == ofPassword) {
		c.replace(found.from, found.to, found.kind)
		return
	}
	if found, ok := comment(c.s, from, k); ok && found.from >= c.kept {
		c.replace(found.from, found.to, found.kind)
	}
	if found, ok := sentence(c.s, from, to, k); ok {
		c.ahead(found)
		if k.word == "codes" {
			c.ahead(moreCodes(c.s, found.to)...)
		}
	}
	if k.word == "codes" {
		c.ahead(codeList(c.s, to)...)
	}
	if k.role == ofKey || k.role == ofPassword {
		c.hintEnd, c.hintKind = to, k.kind
	}
}

const (
	// maxNear is how far behind a keyword random text is taken for what it names,
	// in bytes, and maxBeside how far a hexadecimal number is.
	maxNear   = 64
	maxBeside = 12
)

// isSealed reports that a value is encrypted already, by sops or as a sealed secret
// of Kubernetes.
func isSealed(before, value string) bool {
	return strings.Contains(before, "ENC[") || len(value) >= 100 && strings.HasPrefix(value, "Ag")
}

// near takes what is random and stands close behind a keyword. It returns where
// the scan goes on.
func (c *scan) near(i, end int) int {
	if c.hintEnd < 0 || i < c.hintEnd || i-c.hintEnd > maxNear || c.againstEnd > c.hintEnd {
		return end
	}
	if i > c.hintEnd+1 && (c.s[i-1] == '/' || c.s[i-1] == '+') && c.s[i-2] == ' ' && i-1 >= c.kept {
		i-- // base64 begins with it
	} else if i > 0 && sets[c.s[i-1]]&any64 != 0 {
		return end
	}
	to := spanOf(c.s, i, any64|dot)
	if between := c.s[c.hintEnd:i]; to-i < 16 || strings.IndexByte(between, '\n') >= 0 && (c.hintKind != Password || strings.Count(between, "\n") > 1 || !strings.HasSuffix(between, ": ")) {
		return end
	}
	value := window(c.s[i:to], decisionWindow)
	if isPlaceholder(value) || isSealed(c.s[c.hintEnd:i], value) {
		return end
	}
	m := makeupOf(value)
	isRandom := m.isRandom() && (m.length >= 20 || m.upper > 0 && m.lower > 0)
	isBeside := i-c.hintEnd <= maxBeside && (m.isHex() && m.length >= 32 || isUUID(value))
	if !isRandom && !isBeside {
		return end
	}
	c.replace(i, to, c.hintKind)
	return to
}

// token recognises a secret by how it begins, at the start of a word.
func (c *scan) token(i int) (kind string, end int) {
	rest := c.s[i:]
	switch rest[0] {
	case 's':
		if strings.HasPrefix(rest, "sk-ant-") {
			return AnthropicKey, c.wide(i, len("sk-ant-"), 16)
		}
		if strings.HasPrefix(rest, "sk-") && digitsIn(window(rest, 64)) >= 3 {
			return OpenAIKey, c.wide(i, len("sk-"), 20)
		}
		if strings.HasPrefix(rest, "sk_live_") {
			return StripeKey, c.wide(i, len("sk_live_"), 10)
		}
	case 'g':
		if kind, end := c.gitToken(i); end > i {
			return kind, end
		}
	case 'A':
		if kind, end := c.cloudKey(i); end > i {
			return kind, end
		}
	case 'M', 'N', 'O':
		if end := c.botToken(i); end > i {
			return Token, end
		}
	case 'x':
		if len(rest) > 5 && strings.HasPrefix(rest, "xox") && isLetter(rest[3]) && rest[4] == '-' {
			return SlackToken, c.wide(i, len("xoxb-"), 10)
		}
	case 'n':
		if strings.HasPrefix(rest, "npm_") {
			return NPMToken, narrow(c.s, i, len("npm_"), 30)
		}
	case 'e':
		if strings.HasPrefix(rest, "eyJ") {
			if end := c.jsonWebToken(i); end > i {
				return JWT, end
			}
		}
	}
	if 'A' <= rest[0] && rest[0] <= 'Z' {
		if to := accountNumber(c.s, i); to > i {
			return AccountNumber, to
		}
	}
	if isDigit(rest[0]) {
		if kind, end := c.number(i); end > i {
			return kind, end
		}
	}
	return c.vendorToken(i)
}

// botToken is the end of a token of a Discord bot at i, or i: id, time and
// signature with points between.
func (c *scan) botToken(i int) int {
	id := runFrom(c.s, i)
	if id-i < 23 || id-i > 30 {
		return i
	}
	stamp := afterDot(c.s, id, 6)
	if signature := afterDot(c.s, stamp, 27); stamp-id == 7 && signature > 0 {
		return signature
	}
	return i
}

// number recognises the token of a Telegram bot and a card number.
func (c *scan) number(i int) (kind string, end int) {
	end = i
	for end < len(c.s) && isDigit(c.s[end]) && end-i < 20 {
		end++
	}
	if n := end - i; n >= 8 && n <= 10 && end < len(c.s) && c.s[end] == ':' {
		if to := runFrom(c.s, end+1); to-end-1 == 35 {
			return Token, to
		}
	}
	if to := cardNumber(c.s, i); to > i {
		return CardNumber, to
	}
	return "", i
}

func (c *scan) gitToken(i int) (kind string, end int) {
	rest := c.s[i:]
	if strings.HasPrefix(rest, "glpat-") {
		return GitLabToken, c.wide(i, len("glpat-"), 16)
	}
	if strings.HasPrefix(rest, "github_pat_") {
		return GitHubToken, c.wide(i, len("github_pat_"), 20)
	}
	if len(rest) > 4 && rest[1] == 'h' && rest[3] == '_' && strings.IndexByte("pousr", rest[2]) >= 0 {
		return GitHubToken, narrow(c.s, i, len("ghp_"), 20)
	}
	return "", i
}

func (c *scan) cloudKey(i int) (kind string, end int) {
	rest := c.s[i:]
	if strings.HasPrefix(rest, "AIza") {
		return GoogleKey, c.wide(i, len("AIza"), 30)
	}
	if strings.HasPrefix(rest, "AAAA") && len(rest) > 12 && strings.HasPrefix(rest[11:], ":APA91b") {
		return GoogleKey, runFrom(c.s, i+12)
	}
	const idLength = 20
	if (strings.HasPrefix(rest, "AKIA") || strings.HasPrefix(rest, "ASIA") || strings.HasPrefix(rest, "ABIA") || strings.HasPrefix(rest, "ACCA")) && len(rest) >= idLength {
		if strings.HasSuffix(rest[:idLength], "EXAMPLE") {
			return "", i
		}
		for j := range idLength {
			if !isDigit(rest[j]) && (rest[j] < 'A' || rest[j] > 'Z') {
				return "", i
			}
		}
		if len(rest) == idLength || !isAlnum(rest[idLength]) {
			return AWSKey, i + idLength
		}
	}
	return "", i
}

// run is the end of the run of letters, digits, "-" and "_" that holds i. It is
// remembered, as many words can begin in one run.
func (c *scan) run(i int) int {
	if i >= c.runEnd {
		c.runEnd = runFrom(c.s, i)
		c.jwtEnd = 0
	}
	return c.runEnd
}

func runFrom(s string, i int) int {
	for i < len(s) && (isAlnum(s[i]) || s[i] == '_' || (s[i] == '-' && !strings.HasPrefix(s[i:], pemBegin))) {
		i++
	}
	return i
}

// wide is the end of a secret at i with that prefix and at least least bytes of
// letters, digits, "-" and "_" after it; i when it is shorter.
func (c *scan) wide(i, prefix, least int) int {
	if end := c.run(i); end-i-prefix >= least {
		return end
	}
	return i
}

// narrow is wide with letters and digits only.
func narrow(s string, i, prefix, least int) int {
	end := i + prefix
	for end < len(s) && isAlnum(s[end]) {
		end++
	}
	if end-i-prefix >= least {
		return end
	}
	return i
}

// jsonWebToken is the end of header.payload.signature at i, or i.
func (c *scan) jsonWebToken(i int) int {
	header := c.run(i)
	if c.jwtEnd == 0 {
		c.jwtEnd = -1
		payload := afterDot(c.s, header, 8)
		if signature := afterDot(c.s, payload, 8); signature > 0 {
			c.jwtEnd = signature
		}
	}
	if c.jwtEnd < 0 || header-i < 8 {
		return i
	}
	return c.jwtEnd
}

// afterDot is the end of a run of at least least bytes behind a dot at i, or 0.
func afterDot(s string, i, least int) int {
	if i <= 0 || i >= len(s) || s[i] != '.' {
		return 0
	}
	if end := runFrom(s, i+1); end-i-1 >= least {
		return end
	}
	return 0
}

func window(s string, n int) string { return s[:min(n, len(s))] }

func digitsIn(s string) int {
	n := 0
	for i := range len(s) {
		switch {
		case isDigit(s[i]):
			n++
		case !isAlnum(s[i]) && s[i] != '-' && s[i] != '_':
			return n
		}
	}
	return n
}

const (
	pemBegin = "-----BEGIN "
	pemKey   = "PRIVATE KEY"
	pemClose = "-----END "
)

// privateKey is the end of the private key whose first line begins at i, or i
// when it is something else. Without a last line (a text that was cut) the key
// goes on as long as the lines look like one.
func (c *scan) privateKey(i int) int {
	label := window(c.s[i+len(pemBegin):], 64)
	title, _, ok := strings.Cut(label, "-----")
	if !ok || !strings.Contains(title, pemKey) || strings.ContainsAny(title, "\r\n") {
		return i
	}
	body := i + len(pemBegin) + len(title) + len("-----")
	if c.noKeyEnd {
		return openKeyEnd(c.s, body)
	}
	at := strings.Index(c.s[body:], pemClose)
	if at < 0 {
		c.noKeyEnd = true // nor will there be one further on
		return openKeyEnd(c.s, body)
	}
	end := body + at + len(pemClose)
	if dashes := strings.Index(window(c.s[end:], 64), "-----"); dashes >= 0 {
		end += dashes + len("-----")
	}
	return end
}

// openKeyEnd passes over lines without blanks in them and over PEM headers.
func openKeyEnd(s string, from int) int {
	end := from
	for end < len(s) {
		line := end
		for line < len(s) && s[line] != '\n' && (!isBlank(s[line]) || s[line] == '\r') && s[line] != '<' {
			line++
		}
		if line < len(s) && s[line] != '\n' {
			header := window(s[end:], 128)
			if !strings.HasPrefix(header, "Proc-Type: ") && !strings.HasPrefix(header, "DEK-Info: ") {
				break
			}
			line = end + max(0, strings.IndexByte(header, '\n'))
		}
		end = min(line+1, len(s))
	}
	for end > from && isBlank(s[end-1]) {
		end--
	}
	return end
}

// urlPassword replaces the password in the authority that begins at i.
func (c *scan) urlPassword(i int) int {
	end := authorityEnd(c.s, i, "/?#")
	colon := strings.IndexByte(c.s[i:end], ':')
	if colon < 0 {
		return i
	}
	at := strings.LastIndexByte(c.s[i:end], '@')
	if at < 0 && digitsIn(c.s[i+colon+1:end]) < end-i-colon-1 {
		// No port: the slash may belong to the password.
		at = strings.LastIndexByte(c.s[i:authorityEnd(window(c.s, i+128), i, "")], '@')
	}
	if at <= colon+1 {
		return i
	}
	from, to := i+colon+1, i+at
	if password := window(c.s[from:to], decisionWindow); isPlaceholder(password) || has("password passwd pass pwd pw PASSWORD PASS secret token mypassword", password) {
		return i
	}
	c.replace(from, to, URLPassword)
	return to
}

// authorityEnd is where blank space, a quote or one of stop ends an address.
func authorityEnd(s string, i int, stop string) int {
	for i < len(s) && !isBlank(s[i]) && strings.IndexByte("\"'`<>\\", s[i]) < 0 && strings.IndexByte(stop, s[i]) < 0 {
		i++
	}
	return i
}
