// Package recall selects the text that is injected into the model's context: it ranks
// memories in an index of its own and packs their lines into an exact token budget. It
// is pure: rows come in, text goes out. It refuses to read a store or a clock.
package recall
