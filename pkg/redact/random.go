package redact

import "strings"

// commonPairs are the pairs of letters that most of English and of the names in
// programs are made of. Of random letters about a third are such pairs.
const commonPairs = "th he in er an re nd at on nt ha es st en ed to it ou ea hi is or ti as te et ng of al de se le sa si ar ve ra ld ur " +
	"io ic ll ro ne me li ri ch co om ma el ce ac ta ns ss us wh ut rs ho la wa ad tr ge be ca pe pr em id so ec ai il ke ee un po di ul " +
	"no do lo mo wo fo su up ct ot ir ig ev am ay im op pl ow ab ly ty ck ey ok ap pi ex ts ds ls ag ga mi na ni ol oo rt sh sp th tt ub ui " +
	"um vi wi wh if ef fi fe fa av ob ib bl br cl cr dr fr gr gl qu ry ru rm rk rn rd rv sc sk sl sm sw tu tw ue va vo ia ie da du cu ci " +
	"bi bo bu by hu ki ks lt ps pu pt pa mp nc nk nf ft gi go hr lu mu my nu ny og od ov ms lv os oc oi sy te xt ye yo ze iz ep eg eb ew " +
	"ff gh ht jo ju je lf ld nn mm pp rr dd bb gn lk lp mb nv rc rg rl rf ws ys yp wn wl ug ud uc ua uf aw au ak af az ax js db ip ht tp"

// pairs[a] has the bit b for the common pair ab, both counted from 'a'.
var pairs = func() (table [26]uint32) {
	for pair := range strings.SplitSeq(commonPairs, " ") {
		table[pair[0]-'a'] |= 1 << (pair[1] - 'a')
	}
	return table
}()

// makeup holds the counts that decide whether a text is random or made of words.
type makeup struct {
	length, digits, upper, lower, others int
	hexOnly                              bool
	pairs, common                        int // pairs of letters, and those of words
	changes                              int // between digits and letters, and capitals and small letters but for those that begin a word
}

func makeupOf(s string) makeup {
	m := makeup{length: len(s), hexOnly: true}
	const (
		none = iota
		digit
		small
		capital
	)
	before := none
	for i := range len(s) {
		c := s[i]
		now := none
		switch {
		case isDigit(c):
			m.digits++
			now = digit
		case 'a' <= c && c <= 'z':
			m.lower++
			now = small
			m.hexOnly = m.hexOnly && c <= 'f'
		case 'A' <= c && c <= 'Z':
			m.upper++
			now = capital
			m.hexOnly = m.hexOnly && c <= 'F'
		default:
			m.others++
			m.hexOnly = false
		}
		if now >= small && before >= small {
			m.pairs++
			if pairs[lower(s[i-1])-'a']&(1<<(lower(c)-'a')) != 0 {
				m.common++
			}
		}
		if before != none && now != none && now != before && (before != capital || now != small) {
			m.changes++
		}
		before = now
	}
	return m
}

// isHex reports digits and letters a to f of one case, some of each.
func (m makeup) isHex() bool {
	return m.hexOnly && m.digits > 0 && m.upper+m.lower > 0 && (m.upper == 0 || m.lower == 0)
}

// isRandom reports a text that no words are in, from some 16 letters and digits
// on: what a machine drew from an alphabet of more than 16.
func (m makeup) isRandom() bool {
	letters := m.upper + m.lower
	if letters+m.digits < 16 || m.digits == 0 || letters < 6 || m.hexOnly && m.isHex() {
		return false
	}
	mixed := m.upper > 0 && m.lower > 0
	switch {
	case m.pairs == 0:
		return m.changes >= 6
	case m.lower == 0 && m.others == 0: // names in capitals have "_" in them
		return m.changes >= 4 && m.common*5 < m.pairs*4
	case mixed:
		return m.common*20 < m.pairs*11 && m.changes*6 >= letters+m.digits ||
			m.common*20 < m.pairs*13 && m.changes*3 >= letters+m.digits
	}
	return m.common*20 < m.pairs*11 && m.changes*5 >= letters+m.digits
}

// isUUID reports 8-4-4-4-12 hexadecimal digits.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return false
			}
		} else if !isHexDigit(s[i]) {
			return false
		}
	}
	return true
}

func isHexDigit(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// isHexPairs reports 6C:1E:B1:..., as fingerprints and addresses of devices are written.
func isHexPairs(s string) bool {
	for i := range len(s) {
		if i%3 == 2 && s[i] != ':' || i%3 != 2 && !isHexDigit(s[i]) {
			return false
		}
	}
	return true
}

// isMachineMade reports text that a program issues as a key: random text, a
// long hexadecimal number, a UUID.
func isMachineMade(s string) bool {
	if len(s) < 16 || isPlaceholder(s) || isHexPairs(s) {
		return false
	}
	m := makeupOf(window(s, decisionWindow))
	return m.isRandom() || m.isHex() && m.length >= 20 || isUUID(s)
}

// isOdd reports what a password may be and a word of a sentence is not: letters
// together with digits, or with signs that no sentence has inside a word.
func isOdd(s string) bool {
	if len(s) < 6 || isPlaceholder(s) || isTechnical(s) || s[0] == '!' && isName(s[1:]) {
		return false
	}
	letters, digits, signs, slashes, dots := 0, 0, 0, 0, 0
	if bare := strings.TrimRight(s, "?!"); isName(bare) && digitsIn(bare) == 0 {
		return false // the end of a sentence
	}
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c):
			digits++
		case isLetter(c):
			letters++
		case c == '/' || c == '\\':
			slashes++
		case c == '.':
			dots++
		case strings.IndexByte("!@#$%^&*+=?~", c) >= 0:
			signs++
		case c == '(' || c == ')' || c == '[' || c == ']' || c == '<' || c == '>' || c == '{' || c == '}' || c == ':' || c == ';' || c == ',':
			return false
		}
	}
	if slashes > 0 && !isMachineMade(s) || strings.Contains(s, "://") {
		return false
	}
	if dots > 0 && signs == 0 && (letters < 4 || looksLikeHost(s)) {
		return false
	}
	return letters > 0 && (digits > 0 || signs > 0) || letters == 0 && digits > 0 && signs > 1
}

// looksLikeHost recognises db1.acme.io, file2.txt and v1.2.3.
func looksLikeHost(s string) bool {
	if m := makeupOf(s); m.upper > 0 && m.digits > 0 {
		return false
	}
	at := strings.LastIndexByte(s, '.')
	tail := s[at+1:]
	if len(tail) == 0 || len(tail) > 5 || !allDigits(tail) && strings.ContainsAny(tail, "0123456789") {
		return false
	}
	for i := range len(s) {
		if !isAlnum(s[i]) && s[i] != '.' && s[i] != '-' && s[i] != '_' {
			return false
		}
	}
	return true
}

// technical are words with digits in them that stand where a password could.
var technical = [...]string{
	"argon2", "bcrypt", "scrypt", "pbkdf2", "sha1", "sha-1", "sha2", "sha-2", "sha3", "sha-3", "sha5", "sha-5", "md5", "aes", "base64", "base-64", "base32", "base58",
	"oauth", "rfc", "utf", "utf-8", "ed25519", "rsa", "hs256", "hs512", "rs256", "es256", "http", "ipv4", "ipv6", "x509", "x.509", "pkcs", "v1", "v2", "v3", "int", "uint", "float",
	"string", "varchar", "char", "2fa", "totp", "sso", "kms", "k8s", "i18n", "s3:", "ec2", "log4", "python", "node", "java", "ssh-", "ecdsa-",
}

func isTechnical(s string) bool {
	for _, word := range technical {
		if hasFold(s, 0, word) && len(s) <= len(word)+6 && !isLetterAt(s, len(word)+3) {
			return true
		}
	}
	return false
}

func isLetterAt(s string, i int) bool { return i < len(s) && isLetter(s[i]) }
