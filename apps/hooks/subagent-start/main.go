// Command subagent-start runs the hook of the event SubagentStart.
package main

import "github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"

func main() { hooks.Main(hooks.SubagentStart) }
