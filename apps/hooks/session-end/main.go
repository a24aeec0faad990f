// Command session-end runs the hook of the event SessionEnd.
package main

import "github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"

func main() { hooks.Main(hooks.SessionEnd) }
