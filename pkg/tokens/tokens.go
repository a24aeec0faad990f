// Package tokens is how budgets are measured: a Counter counts the tokens of a
// text by a named encoding. It refuses to know any encoding itself.
package tokens

// Counter counts tokens. Counts of lines that start with a character that is
// neither white space nor a slash, and end in one newline, add up to the count
// of the whole text; packing rests on that law, and bpe tests it.
type Counter interface {
	// Count is the number of tokens of text, 0 for an empty one.
	Count(text string) int
	// Encoding names what Count measures by, such as o200k_base.
	Encoding() string
}
