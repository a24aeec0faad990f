// Command post-tool-use serves Claude Code's hook event; pkg/hooks/posttooluse says how.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/posttooluse"
)

func main() { hook.Main(posttooluse.Hook) }
