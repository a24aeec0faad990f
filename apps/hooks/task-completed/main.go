// Command task-completed runs the hook of the event TaskCompleted.
package main

import "github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"

func main() { hooks.Main(hooks.TaskCompleted) }
