// Command subagent-stop runs the hook of the event SubagentStop.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"
)

func main() { hook.Main(hooks.SubagentStop) }
