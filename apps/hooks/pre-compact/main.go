// Command pre-compact runs the hook of the event PreCompact.
package main

import "github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"

func main() { hooks.Main(hooks.PreCompact) }
