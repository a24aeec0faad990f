package migrations_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
)

var update = flag.Bool("update", false, "write migrations.sum again")

// reserved matches a statement that a migration must not have, because its file is one transaction in one database.
var reserved = regexp.MustCompile(`(?im)(?:^|;)\s*(BEGIN|COMMIT|CANCEL|USE)\b`)

func TestTheMigrationsAreAsTheyWereReleased(t *testing.T) {
	all, err := migrate.Load(migrations.FS)
	if err != nil || len(all) == 0 {
		t.Fatalf("got %d migrations, %v", len(all), err)
	}
	var sums strings.Builder
	for _, m := range all {
		_, _ = fmt.Fprintf(&sums, "%s  %s\n", m.SHA256, m.File)
		if word := reserved.FindString(m.SQL); word != "" {
			t.Errorf("%s has the statement %s: every migration is one transaction in one database", m.File, word)
		}
	}
	const file = "migrations.sum" // a line "sha256  file" for each migration
	if *update {
		if err := os.WriteFile(file, []byte(sums.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if released, err := os.ReadFile(file); err != nil || sums.String() != string(released) {
		t.Errorf("%v: the files have the sums\n%s%s has\n%sif an edited file was never released run make sum, else restore it and write a new migration", err, sums.String(), file, released)
	}
}
