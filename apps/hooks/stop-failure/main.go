// Command stop-failure runs the hook of the event StopFailure.
package main

import "github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"

func main() { hooks.Main(hooks.StopFailure) }
