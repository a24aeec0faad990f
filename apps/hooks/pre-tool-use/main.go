// Command pre-tool-use runs the hook of the event PreToolUse.
package main

import "github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"

func main() { hooks.Main(hooks.PreToolUse) }
