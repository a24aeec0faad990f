// Command pre-compact serves Claude Code's hook event; pkg/hooks/precompact says how.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/precompact"
)

func main() { hook.Main(precompact.Hook) }
