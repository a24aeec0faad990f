package secrets

const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// decisionWindow is how many bytes of a value decide whether it is a secret. It
// bounds the work at each place, and so keeps the whole linear.
const decisionWindow = 256

// makeup holds the counts that decide whether a text is random or made of words.
type makeup struct {
	length, digits, upper, lower, others int
	hexOnly                              bool
	pairs, common                        int // pairs of letters, and those of words
	changes                              int // between digits and letters, and capitals and small letters but for those that begin a word
}

// class is the class of a byte: none is for signs.
type class uint8

const (
	none class = iota
	digit
	small
	capital
)

func classOf(c byte) class {
	switch {
	case isDigit(c):
		return digit
	case 'a' <= c && c <= 'z':
		return small
	case 'A' <= c && c <= 'Z':
		return capital
	}
	return none
}

func makeupOf(s string) makeup {
	m := makeup{length: len(s), hexOnly: true}
	var counts [4]int
	before := none
	for i := range len(s) {
		now := classOf(s[i])
		counts[now]++
		m.hexOnly = m.hexOnly && sets[s[i]]&hexa != 0
		if now >= small && before >= small {
			m.pairs++
			if letterPairs[lower(s[i-1])-'a']&(1<<(lower(s[i])-'a')) != 0 {
				m.common++
			}
		}
		if before != none && now != none && now != before && (before != capital || now != small) {
			m.changes++
		}
		before = now
	}
	m.others, m.digits, m.lower, m.upper = counts[none], counts[digit], counts[small], counts[capital]
	return m
}

// isHex reports digits and letters a to f of one case, some of each.
func (m makeup) isHex() bool {
	return m.hexOnly && m.digits > 0 && m.upper+m.lower > 0 && (m.upper == 0 || m.lower == 0)
}

// isRandom reports a text that no words are in, from some 16 letters and digits
// on: what a machine drew from an alphabet of more than 16.
func (m makeup) isRandom() bool {
	letters, isMixed := m.upper+m.lower, m.upper > 0 && m.lower > 0
	if letters+m.digits < 16 || m.digits == 0 || letters < 6 || m.isHex() {
		return false
	}
	if m.lower == 0 && m.others == 0 { // names in capitals have "_" in them
		return m.changes >= 4 && m.common*5 <= m.pairs*4
	}
	// may reports that few pairs are those of words, by a percentage, and that the class
	// changes often enough: once in so many letters and digits.
	may := func(common, each int) bool {
		return m.common*100 <= m.pairs*common && m.changes*each >= letters+m.digits
	}
	if !isMixed {
		return may(55, 5)
	}
	return may(55, 6) || may(65, 3) || m.length >= 30 && m.digits >= 3 && may(60, 5)
}

// isSession reports the id of a session: small letters and digits, mixed.
func (m makeup) isSession() bool {
	return m.length >= 20 && m.others == 0 && m.digits >= 3 && m.changes >= 6
}

// isUUID reports 8-4-4-4-12 hexadecimal digits.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if isDash := i == 8 || i == 13 || i == 18 || i == 23; isDash != (s[i] == '-') || !isDash && !isHexDigit(s[i]) {
			return false
		}
	}
	return true
}

// isHexPairs reports 6C:1E:B1:..., as fingerprints and addresses of devices are written.
func isHexPairs(s string) bool {
	for i := range len(s) {
		if i%3 == 2 && s[i] != ':' || i%3 != 2 && !isHexDigit(s[i]) {
			return false
		}
	}
	return true
}

// isChainKey reports the private key of a block chain's account.
func isChainKey(s string) bool { return len(s) == 66 && s[:2] == "0x" && makeupOf(s[2:]).isHex() }
