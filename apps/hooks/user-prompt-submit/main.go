// Command user-prompt-submit runs the hook of the event UserPromptSubmit.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"
)

func main() { hook.Main(hooks.UserPromptSubmit) }
