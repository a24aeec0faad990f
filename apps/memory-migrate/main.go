// Command memory-migrate helps contributors to write migrations. It is not shipped: the daemon applies the migrations.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
)

func main() {
	file, err := run("migrations", os.Args[1:])
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "memory-migrate:", err)
		os.Exit(1)
	}
	fmt.Println(file)
}

// run creates the next migration in dir (new NAME), or updates the checksums of all (sum), and returns the path of the written
// file.
func run(dir string, args []string) (string, error) {
	switch {
	case len(args) == 2 && args[0] == "new":
		return migrate.New(dir, args[1])
	case len(args) == 1 && args[0] == "sum":
		return filepath.Join(dir, migrate.SumFile), migrate.UpdateSums(dir)
	}
	return "", errors.New("usage: memory-migrate new NAME, or memory-migrate sum after editing a migration")
}
