// Command subagent-stop serves Claude Code's hook event; pkg/hooks/subagentstop says how.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/subagentstop"
)

func main() { hook.Main(subagentstop.Hook) }
