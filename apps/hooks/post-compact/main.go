// Command post-compact serves Claude Code's hook event; pkg/hooks/postcompact says how.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/postcompact"
)

func main() { hook.Main(postcompact.Hook) }
