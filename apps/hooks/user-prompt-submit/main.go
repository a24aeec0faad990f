// Command user-prompt-submit runs the hook of the event UserPromptSubmit.
package main

import "github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"

func main() { hooks.Main(hooks.UserPromptSubmit) }
