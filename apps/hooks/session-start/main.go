// Command session-start runs the hook of the event SessionStart.
package main

import "github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"

func main() { hooks.Main(hooks.SessionStart) }
