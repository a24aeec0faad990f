// Command memory is for people: it shows what is remembered, adds to it, and
// steers the resident agent.
package main

import (
	"os"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli"
)

// version is set by the linker.
var version = "dev"

func main() { os.Exit(cli.Main(version)) }
