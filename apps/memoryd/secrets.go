package main

import (
	"log/slog"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact/deep"
)

// secondLook takes secrets out of a text with all rules there are.
// They are made beside the start, so that it does not wait for them.
func secondLook(log *slog.Logger) *deep.Scanner {
	secrets := &deep.Scanner{}
	go func() {
		if err := secrets.Warm(); err != nil { // its rules are part of this program
			log.Error("the second look for secrets cannot be had, hooks' own rules are all there is", "error", err)
		}
	}()
	return secrets
}
