package memory

// TokenCounter counts tokens. The counts of lines that start with a character other than
// white space or a slash, and end in one newline, add up to the count of the whole
// text; packing relies on this property, and the tests of package tokens hold its counters to it.
type TokenCounter interface {
	// Count returns the number of tokens of text, 0 for an empty one.
	Count(text string) int
	// Encoding returns the name of the encoding, such as o200k_base.
	Encoding() string
}
