package language

import "strings"

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
