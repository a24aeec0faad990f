package redact

import "strings"

// maxAddress is how much of an address is looked at for what its path gives away.
const maxAddress = 1024

// address looks at the address whose authority begins at i. Its query is left to
// the names in it. It returns where the scan goes on.
func (c *scan) address(i int) int {
	if end := c.urlPassword(i); end > i {
		return end
	}
	if i < c.addressEnd {
		return i
	}
	end := i
	defer func() { c.addressEnd = end }()
	for end < len(c.s) && end-i < maxAddress && !isBlank(c.s[end]) && strings.IndexByte("\"'`<>\\?#|,;", c.s[end]) < 0 {
		end++
	}
	slash := strings.IndexByte(c.s[i:end], '/')
	if at := strings.IndexByte(c.s[i:end], '@'); at > 0 && (slash < 0 || at < slash) {
		if user := c.s[i : i+at]; len(user) >= 20 && isMachineMade(user) && c.tokenEnd(i) != i+at {
			c.replace(i, i+at, URLPassword)
			return i + at
		}
	}
	if slash < 0 {
		return i
	}
	if from, to := hookPath(c.s, i, i+slash, end); to > from {
		c.ahead(span{from, to, Webhook})
	}
	return i
}

func (c *scan) tokenEnd(i int) int {
	_, end := c.token(i)
	return end
}

// hooked are the addresses whose paths are secrets whatever they look like, up to
// the part that is one.
var hooked = [...]string{
	"hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
	"hooks.zapier.com/hooks/catch/", "outlook.office.com/webhook/", "api.telegram.org/bot", "maker.ifttt.com/trigger/", "hook.eu1.make.com/", "hook.us1.make.com/", "hook.integromat.com/",
	"qyapi.weixin.qq.com/cgi-bin/webhook/send", "ntfy.sh/tk_",
}

// linkParts are parts of a path after which machine-made text gives access to
// anybody who has the address.
const linkParts = "key token secret magic reset reset-password password_reset password-reset recover verify confirm activate activation invite invitation invites join magic-link passwordless one-time unsubscribe"

// hookPath finds the part of an address's path that lets anybody post there. The
// host is s[host:path], the path s[path:end].
func hookPath(s string, host, path, end int) (from, to int) {
	for _, known := range hooked {
		if at := strings.Index(s[host:end], known); at >= 0 && at < 8 {
			from = host + at + len(known)
			if known == "maker.ifttt.com/trigger/" {
				break
			}
			if rest := s[from:end]; len(rest) < 8 || isPlaceholder(window(rest, decisionWindow)) || !strings.ContainsAny(rest, "0123456789") {
				return 0, 0
			}
			if strings.HasSuffix(known, "/bot") {
				end = from + max(0, strings.IndexByte(s[from:end]+"/", '/'))
			}
			return from, end
		}
	}
	hasHook := strings.Contains(s[host:path], "hook")
	for i := path; i < end; {
		next := i + 1
		for next < end && s[next] != '/' {
			next++
		}
		part := s[i+1 : next]
		if hasHook && len(part) >= 16 && (isMachineMade(part) || len(part) >= 20 && makeupOf(part).others == 0 && isDrawn(part) || strings.Contains(part, "@") && isUUID(window(part, 36))) {
			return i + 1, end
		}
		hasHook = hasHook || strings.Contains(part, "hook") || has(linkParts, part)
		i = next
	}
	return 0, 0
}

// passwordHash replaces a crypt(3) hash, as in /etc/shadow and .htpasswd, that
// begins at i with "$".
func (c *scan) passwordHash(i int) int {
	scheme := i + 1
	for scheme < len(c.s) && isAlnum(c.s[scheme]) && scheme-i < 12 {
		scheme++
	}
	if !has("1 2a 2b 2y 5 6 y 7 apr1 argon2i argon2id scrypt gy", c.s[i+1:scheme]) || scheme >= len(c.s) || c.s[scheme] != '$' {
		return i + 1
	}
	end := scheme
	for end < len(c.s) && (sets[c.s[end]]&(any64|dot) != 0 || c.s[end] == '$' || c.s[end] == ',') {
		end++
	}
	if end-i < 20 || strings.Count(c.s[i:end], "$") < 3 {
		return i + 1
	}
	c.replace(i, end, Password)
	return end
}

// lineStart handles secrets that are recognised only at the beginning of a line: the
// lines of .pgpass.
func (c *scan) lineStart(i int) int {
	if i > 0 && c.s[i-1] != '\n' {
		return i
	}
	line := window(c.s[i:], decisionWindow)
	if found, ok := jarLine(restOfLine(c.s[i:])); ok {
		c.ahead(span{i + found.from, i + found.to, Cookie})
		return i
	}
	host := strings.IndexByte(line, ':')
	if host <= 0 || host+1 >= len(line) || !isDigit(line[host+1]) && line[host+1] != '*' {
		return i
	}
	if at := strings.IndexByte(line, '\n'); at >= 0 {
		line = line[:at]
	}
	fields := strings.SplitN(line, ":", 5)
	if len(fields) < 5 || len(fields[1]) > 5 || fields[1] != "*" && !allDigits(fields[1]) || strings.ContainsAny(line, " /\t") {
		return i
	}
	password := strings.TrimRight(fields[4], "\r")
	if isName(fields[3]) && (fields[1] == "*" || len(fields[1]) > 2) && !isPlaceholder(password) && len(password) >= 3 {
		from := i + len(line) - len(fields[4])
		c.ahead(span{from, from + len(password), Password})
	}
	return i
}

// jarLine finds the cookie of a session in a line of a jar, as curl keeps it.
func jarLine(line string) (span, bool) {
	if strings.IndexByte(line, '\t') < 0 {
		return span{}, false
	}
	fields := strings.Split(line, "\t")
	if len(fields) != 7 || !has("TRUE FALSE", fields[1]) || !has("TRUE FALSE", fields[3]) {
		return span{}, false
	}
	value := strings.TrimRight(fields[6], "\r")
	to := len(line) - len(fields[6]) + len(value)
	return span{to - len(value), to, Cookie}, isCookie(fields[5], value)
}

// cardNumber is the end of the number of a payment card at i, or i: 13 to 19
// digits, alone or in groups, that begin as an issuer's do and whose check digit
// is right. Numbers that issuers publish for tests are none.
func cardNumber(s string, i int) int {
	if i > 0 && (isAlnum(s[i-1]) || s[i-1] == '.' || s[i-1] == '-' || s[i-1] == '_' || s[i-1] == ':' && i > 1 && isAlnum(s[i-2]) && !isLetter(s[i-2])) {
		return i
	}
	if s[i] < '2' || s[i] > '6' {
		return i
	}
	var number [20]byte
	n, end, separator := 0, i, byte(0)
	groups, group := 0, 0
	for end < len(s) && n < len(number) {
		switch b := s[end]; {
		case isDigit(b):
			number[n] = b
			n++
			group++
		case (b == ' ' || b == '-') && (separator == 0 && n == 4 || b == separator) && end+1 < len(s) && isDigit(s[end+1]):
			separator = b
			groups++
			if group != 4 && group != 6 {
				return i
			}
			group = 0
		default:
			goto counted
		}
		end++
	}
counted:
	if end < len(s) && (isAlnum(s[end]) || s[end] == '_' || (s[end] == '.' || s[end] == '-') && end+1 < len(s) && isAlnum(s[end+1])) {
		return i
	}
	if !isIssued(string(number[:n])) || !luhn(number[:n]) || has("4242424242424242 4111111111111111 5555555555554444 378282246310005 4000056655665556 5105105105105100 4012888888881881", string(number[:n])) {
		return i
	}
	return end
}

// accountNumber is the end of an IBAN at i, or i: two capitals, check digits that are
// right, 11 to 30 digits and capitals, alone or in groups of four. Those that banks
// publish as examples are none.
func accountNumber(s string, i int) int {
	if i+15 > len(s) || s[i+1] < 'A' || s[i+1] > 'Z' || !isDigit(s[i+2]) || !isDigit(s[i+3]) || i > 0 && sets[s[i-1]]&(any64|dot) != 0 && s[i-1] != '=' {
		return i
	}
	number := make([]byte, 0, 34)
	end := i
	for at := i; at < len(s) && len(number) < cap(number); at++ {
		if s[at] == ' ' && len(number)%4 == 0 && end == at {
			continue
		}
		if !isDigit(s[at]) && (s[at] < 'A' || s[at] > 'Z') {
			break
		}
		number = append(number, s[at])
		end = at + 1
	}
	if len(number) < 15 || end < len(s) && sets[s[end]]&wide != 0 || digitsIn(string(number)) < 10 || has(openAccounts, string(number)) {
		return i
	}
	sum := 0
	for _, b := range append(number[4:], number[:4]...) {
		if isDigit(b) {
			sum = (sum*10 + int(b-'0')) % 97
		} else {
			sum = (sum*100 + int(b-'A') + 10) % 97
		}
	}
	if sum != 1 {
		return i
	}
	return end
}

const openAccounts = "DE89370400440532013000 GB29NWBK60161331926819 GB82WEST12345698765432 GB33BUKB20201555555555 FR1420041010050500013M02606 FR7630006000011234567890189 " +
	"CH9300762011623852957 NL91ABNA0417164300 ES9121000418450200051332 AT611904300234573201 BE68539007547034 IT60X0542811101000000123456"

func isIssued(number string) bool {
	two := number[:min(2, len(number))]
	switch len(number) {
	case 15:
		return two == "34" || two == "37"
	case 16:
		return number[0] == '4' || two >= "51" && two <= "55" || two >= "22" && two <= "27" || strings.HasPrefix(number, "6011") || two == "65" || two == "35"
	case 14:
		return two == "36" || two == "38" || two == "30"
	}
	return false
}

func luhn(number []byte) bool {
	sum := 0
	for i := range number {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
