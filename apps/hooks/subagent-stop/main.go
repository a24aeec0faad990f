// Command subagent-stop runs the hook of the event SubagentStop.
package main

import "github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"

func main() { hooks.Main(hooks.SubagentStop) }
