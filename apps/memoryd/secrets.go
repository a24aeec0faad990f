package main

import (
	"log/slog"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact/deep"
)

// secondLook removes secrets from a text with all rules. The rules are compiled in the
// background, so that the start does not wait for them.
func secondLook(log *slog.Logger) *deep.Scanner {
	secrets := &deep.Scanner{}
	go func() {
		if err := secrets.Warm(); err != nil { // its rules are part of this program
			log.Error("the rules of gitleaks cannot be used; secrets are removed by the rules of hooks only", "error", err)
		}
	}()
	return secrets
}
