package migrations_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
)

// reserved matches a statement that a migration must not have, because its file is one transaction in one database.
var reserved = regexp.MustCompile(`(?im)(?:^|;)\s*(BEGIN|COMMIT|CANCEL|USE)\b`)

func TestTheMigrationsAreAsTheyWereReleased(t *testing.T) {
	all, err := migrate.Load(migrations.FS)
	if err != nil || len(all) == 0 {
		t.Fatalf("got %d migrations, %v", len(all), err)
	}
	for _, m := range all {
		if word := reserved.FindString(m.SQL); word != "" {
			t.Errorf("%s has the statement %s: every migration is one transaction in one database", m.File, word)
		}
	}
	sums, err := os.ReadFile(migrate.SumFile)
	if err != nil {
		t.Fatal(err)
	}
	if got := migrate.Sums(all); got != string(sums) {
		t.Errorf("the files have the sums\n%s%s has\n%sif an edited file was never released run make sum, else restore it and write a new migration", got, migrate.SumFile, sums)
	}
}
