// Command post-tool-use-failure serves Claude Code's hook event; pkg/hooks/posttoolusefailure says how.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/posttoolusefailure"
)

func main() { hook.Main(posttoolusefailure.Hook) }
