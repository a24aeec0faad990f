// Command user-prompt-submit serves Claude Code's hook event; pkg/hooks/userpromptsubmit says how.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/userpromptsubmit"
)

func main() { hook.Main(userpromptsubmit.Hook) }
