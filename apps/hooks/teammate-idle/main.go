// Command teammate-idle runs the hook of the event TeammateIdle.
package main

import "github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"

func main() { hooks.Main(hooks.TeammateIdle) }
