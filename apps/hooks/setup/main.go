// Command setup serves Claude Code's hook event; pkg/hooks/setup says how.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/setup"
)

func main() { hook.Main(setup.Hook) }
