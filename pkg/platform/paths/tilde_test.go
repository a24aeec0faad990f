package paths_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

func TestTildesAreOfTheHomeOnly(t *testing.T) {
	for message, want := range map[string]string{
		"open /home/ann/.claude/x: denied":            "open ~/.claude/x: denied",
		"open /backup/home/ann/x: denied":             "open /backup/home/ann/x: denied",
		`"/home/ann/a" is not "/home/anna/a"`:         `"~/a" is not "/home/anna/a"`,
		"https://host/home/ann/x has no such page":    "https://host/home/ann/x has no such page",
		"/home/ann/a is no project, nor is /home/ann": "~/a is no project, nor is /home/ann",
	} {
		musttest.Same(t, want, paths.Tildes(message, "/home/ann"), "%q became", message)
	}
}
