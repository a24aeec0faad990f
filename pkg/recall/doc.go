// Package recall decides what is put in front of the model: it ranks memories in
// an index of its own and packs their lines into an exact token budget. It is pure:
// rows come in, text goes out. It refuses to read a store or a clock.
package recall
