// Command post-tool-use-failure runs the hook of the event PostToolUseFailure.
package main

import "github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"

func main() { hooks.Main(hooks.PostToolUseFailure) }
