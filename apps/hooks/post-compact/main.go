// Command post-compact runs the hook of the event PostCompact.
package main

import "github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"

func main() { hooks.Main(hooks.PostCompact) }
