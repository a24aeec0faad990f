// Package tokens defines the measure of budgets: a Counter counts the tokens of a text by a named encoding. It has no
// encoding itself.
package tokens

// Counter counts tokens. The counts of lines that start with a character other than
// white space or a slash, and end in one newline, add up to the count of the whole
// text; packing relies on this property, and bpe tests it.
type Counter interface {
	// Count is the number of tokens of text, 0 for an empty one.
	Count(text string) int
	// Encoding is the name of the encoding, such as o200k_base.
	Encoding() string
}
