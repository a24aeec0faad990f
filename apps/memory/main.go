// Command memory is the command line for people. It shows and changes memories and controls the daemon.
package main

import (
	"os"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli"
)

// version is set by the linker.
var version = "dev"

func main() { os.Exit(cli.Main(version)) }
