package redact

import (
	"strings"
	"unicode/utf8"
)

// foreignWord is a keyword with letters that are not ASCII: before is the part in
// front of the first such letter, rest begins with it.
type foreignWord struct {
	before, rest string
	key          keyword
	// joined says that the language has no blanks between words.
	joined bool
}

var (
	foreignPassword = keyword{"password", Password, ofPassword}
	foreignKey      = keyword{"key", APIKey, ofKey}
)

var foreignWords = [...]foreignWord{
	{"contrase", "ña", foreignPassword, false},
	{"contrase", "Ña", foreignPassword, false},
	{"has", "ło", foreignPassword, false},
	{"l", "ösenord", foreignPassword, false},
	{"jelsz", "ó", foreignPassword, false},
	{"", "şifre", foreignPassword, false},
	{"", "Şifre", foreignPassword, false},
	{"m", "ật khẩu", foreignPassword, false},
	{"parol", "ă", foreignPassword, false},
	{"", "пароль", foreignPassword, false},
	{"", "Пароль", foreignPassword, false},
	{"", "κωδικός", foreignPassword, false},
	{"", "Κωδικός", foreignPassword, false},
	{"", "סיסמה", foreignPassword, false},
	{"", "كلمة المرور", foreignPassword, false},
	{"", "كلمة السر", foreignPassword, false},
	{"", "密码", foreignPassword, true},
	{"", "密碼", foreignPassword, true},
	{"", "口令", foreignPassword, true},
	{"", "パスワード", foreignPassword, true},
	{"", "暗証番号", foreignPassword, true},
	{"", "비밀번호", foreignPassword, true},
	{"", "암호", foreignPassword, true},
	{"schl", "üssel", foreignKey, false},
	{"cl", "é", foreignKey, false},
	{"", "ключ", foreignKey, false},
	{"", "токен", foreignKey, false},
	{"", "密钥", foreignKey, true},
	{"", "令牌", foreignKey, true},
	{"", "キー", foreignKey, true},
	{"", "トークン", foreignKey, true},
	{"", "토큰", foreignKey, true},
	{"", "키", foreignKey, true},
}

// foreignBy holds, for each first byte of the part that is not ASCII, which words it
// may begin.
var foreignBy = indexOf(len(foreignWords), func(i int) byte { return foreignWords[i].rest[0] })

// foreign looks for a secret behind a keyword of another language, whose first byte
// that is not ASCII is at i. It returns where the scan goes on.
func (c *scan) foreign(i int) int {
	for at := foreignBy.first[c.s[i]]; at != 0; at = foreignBy.next[at] {
		w := &foreignWords[at-1]
		if !strings.HasPrefix(c.s[i:], w.rest) || i < len(w.before) || !hasFold(c.s, i-len(w.before), w.before) {
			continue
		}
		end := i + len(w.rest)
		if found, ok := w.told(c.s, end); ok {
			c.ahead(found)
		}
		c.hintEnd, c.hintKind = end, w.key.kind
		return end
	}
	return i + 1
}

// particles are the words between a keyword and its value in a language without
// blanks.
const particles = "はがを是为為：:=＝ の이가는은「『“\"'`（(，,设置改成到"

func (w *foreignWord) told(s string, end int) (span, bool) {
	if !w.joined {
		for end < len(s) && (isLetter(s[end]) || s[end] >= utf8.RuneSelf && bracketAt(s, end) == 0) {
			end++ // the ending of the word
		}
		return told(s, end, &w.key)
	}
	stop := min(len(s), end+maxSentence)
	i := end
	for i < stop {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !strings.ContainsRune(particles, r) {
			break
		}
		i += n
	}
	from := i
	for i < stop && '!' <= s[i] && s[i] <= '~' && strings.IndexByte("\"'`<>", s[i]) < 0 {
		i++
	}
	to := i
	for to > from && strings.IndexByte(",.;)", s[to-1]) >= 0 {
		to--
	}
	return span{from, to, w.key.kind}, w.key.fits(s[from:to], true, false)
}
