// Command notification serves Claude Code's hook event; pkg/hooks/notification says how.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/notification"
)

func main() { hook.Main(notification.Hook) }
