// Command stop-failure serves Claude Code's hook event; pkg/hooks/stopfailure says how.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/stopfailure"
)

func main() { hook.Main(stopfailure.Hook) }
