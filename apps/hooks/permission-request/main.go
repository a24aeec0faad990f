// Command permission-request serves Claude Code's hook event; pkg/hooks/permissionrequest says how.
package main

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/permissionrequest"
)

func main() { hook.Main(permissionrequest.Hook) }
