// Command pre-tool-use runs the hook of the event PreToolUse.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"
)

func main() { hook.Main(hooks.PreToolUse) }
