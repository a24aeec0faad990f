// Package hookio owns the JSON that Claude Code writes to a hook's standard
// input and the JSON that it reads back from the hook's standard output.
//
// It only translates: it starts nothing, reads no file, keeps no state and does not
// interpret events. It does not trust its input: every size is bounded by [Limits], and a
// document that ends too early or is not JSON still yields the fields that came before
// the damage.
//
// Hook programs link this package and live for about two milliseconds, so it
// imports no reflection-based decoder and has no package-level initialisation.
//
// The field names and the outputs follow docs and observation of Claude Code
// 2.1.329; the recorded inputs are in testdata/hook-input.
package hookio
