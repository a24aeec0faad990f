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

// isAbbreviated reports whether the full stop after text is of an abbreviation, an item's number, or an ordinal ("vor dem 3. Mai").
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

// opensSentence reports whether a sentence can begin with rest, the text after a full stop. A small letter can
// begin one, because people type in haste; only punctuation cannot.
func opensSentence(rest string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, blanks))
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("`*(\"'/[", r)
}

// Phrases are phrases to find in the words of a sentence, by their first words. In a phrase "*" is any word, "a|b" either word.
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

// Add adds phrases for which Find returns the bits.
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

// Splitter splits a text into words: runs of letters and digits. Only the splitters below exist, so that all readers with the same purpose split a text alike.
type Splitter struct {
	// joints are marks inside a word. A joint that is also in marks joins only before a letter or digit, like a full stop.
	joints string
	// marks are marks that become words of their own.
	marks string
	// apart separates numbers from letters and endings from apostrophes: "v2" and "it's" are two words each.
	apart bool
}

var (
	// Plain drops the marks between words and the apostrophes within: "don't" is "dont".
	Plain = Splitter{}
	// Spoken keeps apostrophes, which distinguish "we're" from "were", and splits "v2".
	Spoken = Splitter{joints: "'’", apart: true}
	// Sentence is for one sentence. It keeps file names and flags whole, and the marks that phrases contain.
	Sentence = Splitter{joints: "-./_", marks: ",:?!("}
	// Clauses is for several sentences. It keeps file names whole, and the marks that end a clause, which no phrase crosses.
	Clauses = Splitter{joints: "-.", marks: ".?!;:,\n"}
)

const apostrophes = "'’"

// List returns the words of a text in order, and the marks that the splitter keeps. Words are in lower case and
// have no joints at their ends. It takes linear time.
func (s Splitter) List(text string) []string {
	words := make([]string, 0, len(text)/5+2) // four letters a word, for one allocation
	start, digits := -1, false
	end := func(at int) {
		if start >= 0 {
			if word := s.word(text[start:at]); word != "" {
				words = append(words, word)
			}
		}
		start = -1
	}
	for at, size := 0, 0; at < len(text); at += size {
		var r rune
		r, size = utf8.DecodeRuneInString(text[at:])
		isDigit := unicode.IsDigit(r)
		if isDigit || isLetter(r) || s.isWithin(r, text[at+size:]) {
			if s.apart && isDigit != digits {
				end(at)
			}
			if start < 0 {
				start = at
			}
			digits = isDigit
			continue
		}
		end(at)
		if strings.ContainsRune(s.marks, r) {
			words = append(words, text[at:at+size])
		}
	}
	end(len(text))
	return words
}

// isWithin reports whether the mark r belongs to a word, judged by the text after it.
func (s Splitter) isWithin(r rune, rest string) bool {
	switch {
	case strings.ContainsRune(s.joints, r):
		next, _ := utf8.DecodeRuneInString(rest)
		return !strings.ContainsRune(s.marks, r) || unicode.IsDigit(next) || isLetter(next)
	case r == '\'' || r == '’':
		return !s.apart
	}
	return false
}

// word normalises a run of letters, digits and joints. It returns "" for joints only.
func (s Splitter) word(run string) string {
	word := strings.Trim(run, s.joints)
	switch {
	case !strings.ContainsAny(word, apostrophes):
	case strings.Contains(s.joints, "'"):
		word = strings.ReplaceAll(word, "’", "'")
	default:
		word = withoutApostrophes.Replace(word)
	}
	return strings.ToLower(word)
}

var withoutApostrophes = strings.NewReplacer("'", "", "’", "")

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Mn, r) }

// Field is a run of text between spaces, split into the marks before the word, the word, and the marks after it.
// Names, numbers and operators are words as they are written.
type Field struct {
	Before, Word, Behind string
}

// The marks around a word. A full stop or an exclamation mark before a word is part of the word (.env, !important).
const (
	marksBefore = "\"'`“‘”’([{*,;:?"
	marksBehind = "\"'`“‘”’)]}*,;:?!.("
)

// Fields splits a text into its fields, including fields of marks only.
func Fields(text string) []Field {
	written := strings.Fields(text)
	fields := make([]Field, len(written))
	for i, one := range written {
		fields[i] = fieldOf(one)
	}
	return fields
}

func fieldOf(written string) Field {
	rest := strings.TrimLeft(written, marksBefore)
	word := strings.TrimRight(rest, marksBehind)
	if strings.HasSuffix(word, "/") && strings.HasPrefix(rest[len(word):], "...") { // ./...: all packages below a folder
		word = rest[:len(word)+len("...")]
	}
	f := Field{written[:len(written)-len(rest)], word, rest[len(word):]}
	if n := len(word); n > 2 && word[0] == '_' && word[n-1] == '_' { // emphasis
		inner := fieldOf(word[1 : n-1])
		f = Field{f.Before + "_" + inner.Before, inner.Word, inner.Behind + "_" + f.Behind}
	}
	return f
}
