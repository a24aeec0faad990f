package memory

// TokenCounter counts tokens. The token counts of lines add up to the count of the whole text, if each line starts
// with a character other than white space or a slash and ends in one newline. Budgets rely on this, and the tests of
// package tokens check it.
type TokenCounter interface {
	// Count returns the number of tokens of text, 0 for an empty text.
	Count(text string) int
	// Encoding returns the name of the encoding, such as o200k_base.
	Encoding() string
}
