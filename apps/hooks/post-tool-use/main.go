// Command post-tool-use runs the hook of the event PostToolUse.
package main

import "github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"

func main() { hooks.Main(hooks.PostToolUse) }
