package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Normalise returns the form of a content that decides identity. Texts that differ only in their white space, in the marks at their end, in the case
// of their first letter, or in emphasis and quotation marks around the whole have the same form. The case of other letters is kept, because it matters
// in flags, paths and identifiers.
func Normalise(content string) string {
	text := OneLine(content)
	for was := ""; was != text; {
		was = text
		text = strings.TrimRight(text, ".!;… ")
		for _, marks := range around {
			text = within(text, marks[0], marks[1])
		}
	}
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToLower(text[:size]) + text[size:]
}

// around lists the marks that may stand before and behind a whole sentence.
var around = [][2]string{{"**", "**"}, {"__", "__"}, {"*", "*"}, {"_", "_"}, {"`", "`"}, {`"`, `"`}, {"'", "'"}, {"“", "”"}, {"„", "“"}, {"‘", "’"}, {"«", "»"}}

// within returns the words between two marks that stand around a whole text, or else the text. A single word keeps its marks: they may belong to a name.
func within(text, before, behind string) string {
	inner, opens := strings.CutPrefix(text, before)
	inner, closes := strings.CutSuffix(inner, behind)
	if !opens || !closes || strings.Contains(inner, before) || strings.Contains(inner, behind) || !strings.Contains(inner, " ") {
		return text
	}
	return strings.TrimSpace(inner)
}

// NewID returns the identity of a memory: 32 hexadecimal digits of the SHA-256 of scope, project and normalised content.
func NewID(scope Scope, project, content string) string {
	return digest(string(scope), project, Normalise(content))
}

// The number of digits of an id that are shown, and the minimum in a request.
const (
	shortID  = 12
	leastID  = 4
	fullID   = 32
	idDigits = "0123456789abcdef"
)

// ShortID returns the digits of an id that are shown. Among a hundred thousand memories, two share them with a probability of 1
// in 50,000; a request for them is then an error. Of a session's id, a UUID, it returns the first group.
func ShortID(id string) string {
	const group = 8
	if len(id) > group && id[group] == '-' {
		return id[:group]
	}
	return id[:min(shortID, len(id))]
}

// ShortestIDs maps each id to its shortest prefix, of at least leastID digits, that is unique among all ids.
func ShortestIDs(ids, all []string) map[string]string {
	alike, digits := map[string][]string{}, make(map[string]int, len(ids))
	beginning := func(id string) string { return id[:min(leastID, len(id))] }
	for _, id := range ids {
		alike[beginning(id)] = append(alike[beginning(id)], id)
		digits[id] = leastID
	}
	for _, other := range all {
		for _, id := range alike[beginning(other)] {
			n := 0
			for n < len(id) && n < len(other) && id[n] == other[n] {
				n++
			}
			if id != other {
				digits[id] = max(digits[id], n+1)
			}
		}
	}
	short := make(map[string]string, len(ids))
	for id, n := range digits {
		short[id] = id[:min(n, len(id))]
	}
	return short
}

// ShortenIDs shortens full ids in a text, such as the reason of a change.
func ShortenIDs(text string) string {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !strings.ContainsRune(idDigits, r) }) {
		if len(word) == fullID {
			text = strings.ReplaceAll(text, word, word[:shortID])
		}
	}
	return text
}

// IsIDPrefix reports whether a text can be the beginning of a memory's id.
func IsIDPrefix(text string) bool {
	return len(text) >= leastID && len(text) <= fullID && strings.Trim(text, idDigits) == ""
}

// apart puts each of several ids in brackets on a line of its own.
var apart = strings.NewReplacer("][", "]\n[", "] [", "]\n[", "],[", "]\n[", "], [", "]\n[")

// IDsAsShown returns the ids in a text that was copied from lists of memories. A line may have an id, an id followed
// by kind, day or text, or several ids and nothing else. Brackets, quotes, list markers, final dots, "id:" and upper
// case are ignored. If any line does not begin with an id, it returns none.
func IDsAsShown(text string) (ids []string) {
	for line := range strings.Lines(apart.Replace(text)) {
		words := wordsOf(line)
		if len(words) == 0 {
			continue
		}
		isNoID := func(word string) bool { return !IsIDPrefix(word) }
		switch {
		case !slices.ContainsFunc(words, isNoID):
			ids = append(ids, words...)
		case IsIDPrefix(words[0]) && (strings.ContainsAny(words[0], "0123456789") || strings.Contains(line, "[") || Kind(words[1]).known()):
			ids = append(ids, words[0]) // face is hexadecimal, but no id in "face the facts"
		default:
			return nil
		}
	}
	return ids
}

// wordsOf returns the words of a line in lower case, without the signs around them and without a first word such as "id".
func wordsOf(line string) (words []string) {
	for _, word := range strings.FieldsFunc(strings.ToLower(line), func(r rune) bool {
		return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		word = strings.Trim(word, "-_")
		isName := len(words) == 0 && slices.Contains([]string{"id", "ids", "memory", "memories"}, word)
		if word != "" && word != "and" && !isName {
			words = append(words, word)
		}
	}
	return words
}

// IDAsShown returns the id in a text if IDsAsShown finds exactly one, and otherwise the text without white space around it.
func IDAsShown(text string) string {
	if ids := IDsAsShown(text); len(ids) == 1 {
		return ids[0]
	}
	return strings.TrimSpace(text)
}

// digest returns the hash of some parts. It separates the parts by a byte that no part contains, so that ("a","bc")
// and ("ab","c") differ.
func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}
