// Command permission-request runs the hook of the event PermissionRequest.
package main

import "github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hooks"

func main() { hooks.Main(hooks.PermissionRequest) }
