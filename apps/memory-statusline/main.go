// Command memory-statusline prints one line about the memory of a session, for the
// client's status line; `memory setup statusline` has the setting.
package main

import (
	"context"
	"os"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

func main() {
	_ = write(context.Background(), os.Stdin, os.Stdout, paths.FromEnv(os.Getenv)) // there is nobody to tell
}
