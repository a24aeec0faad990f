// Command pre-tool-use serves Claude Code's hook event; pkg/hooks/pretooluse says how.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/pretooluse"
)

func main() { hook.Main(pretooluse.Hook) }
