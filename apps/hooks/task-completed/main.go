// Command task-completed serves Claude Code's hook event; pkg/hooks/taskcompleted says how.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/taskcompleted"
)

func main() { hook.Main(taskcompleted.Hook) }
