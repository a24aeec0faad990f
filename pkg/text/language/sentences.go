package language

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences splits a text into its sentences, verbatim and trimmed. A sentence ends after a full stop, a question
// mark or an exclamation mark, except after an abbreviation or inside a name.
func Sentences(text string) (all []string) {
	add := func(part string) {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	from := 0
	for at, end := 0, 0; at < len(text); at = end {
		mark, size := utf8.DecodeRuneInString(text[at:])
		end = at + size
		switch {
		case strings.ContainsRune("。！？", mark):
		case strings.ContainsRune(".?!", mark):
			end = len(text) - len(strings.TrimLeft(text[end:], `.?!)]"'*`))
			if !strings.ContainsAny(text[end:min(end+1, len(text))], blanks) && end < len(text) ||
				mark == '.' && (isAbbreviated(text[from:at]) || !opensSentence(text[end:])) {
				continue
			}
		default:
			continue
		}
		add(text[from:end])
		from = end
	}
	add(text[from:])
	return all
}

const blanks = " \t\r\n"

// isAbbreviated reports whether the full stop after text belongs to an abbreviation, to the number of a list item, or to a German
// ordinal number ("vor dem 3. Mai").
func isAbbreviated(text string) bool {
	at := strings.LastIndexAny(text, blanks+"(") + 1
	last := text[at:]
	if abbreviations[strings.ToLower(last)] {
		return last != "no" || strings.HasSuffix(text, " no")
	}
	before := strings.Fields(text[:at])
	return len(last) > 0 && len(last) <= 2 && strings.Trim(last, "0123456789") == "" &&
		(len(before) == 0 && len(last) == 1 || len(before) > 0 && beforeOrdinals[strings.ToLower(before[len(before)-1])])
}

var (
	abbreviations  = Set("e.g i.e etc vs cf eg ie approx no incl resp dr mr mrs ms prof st jr p.m a.m z.b d.h bzw ca nr vgl evtl ggf fig")
	beforeOrdinals = Set("am vom zum dem der den des die das jeden jedem bis seit")
)

// opensSentence reports whether a sentence can begin with rest, the text after a full stop. Hasty typing begins in
// lower case, so only punctuation rules it out.
func opensSentence(rest string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, blanks))
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("`*(\"'/[", r)
}

// Phrases finds phrases in the words of a sentence, all in one pass, keyed by their first words. In a phrase "*" is any
// one word, "a|b" either word.
type Phrases map[string][]phrase

type phrase struct {
	rest [][]string // the words after the first word, each with its alternatives
	bits uint32
}

func NewPhrases(list ...string) Phrases {
	p := Phrases{}
	p.Add(1, list)
	return p
}

// Add adds phrases. Find returns bits for each sentence that contains one of them.
func (p Phrases) Add(bits uint32, list []string) {
	for _, text := range list {
		var words [][]string
		for word := range strings.FieldsSeq(text) {
			words = append(words, strings.Split(word, "|"))
		}
		for _, first := range words[0] {
			p[first] = append(p[first], phrase{words[1:], bits})
		}
	}
}

// In reports whether a sentence, given as its words, contains any of the phrases.
func (p Phrases) In(words []string) bool { return p.Find(words) != 0 }

// Find returns the union of the bits of all phrases in a sentence, given as its words.
func (p Phrases) Find(words []string) (found uint32) {
	for i, word := range words {
		for _, one := range p[word] {
			if one.leads(words[i+1:]) {
				found |= one.bits
			}
		}
	}
	return found
}

// leads reports whether words begin with the phrase without its first word.
func (p phrase) leads(words []string) bool {
	if len(p.rest) > len(words) {
		return false
	}
	for i, want := range p.rest {
		if want[0] != "*" && !slices.Contains(want, words[i]) {
			return false
		}
	}
	return true
}
