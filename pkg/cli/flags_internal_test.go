package cli

import (
	"flag"
	"math"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/consent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// A list asks for one row more than the limit, and the largest number had none: only 20 rows were shown.
func TestTheLargestLimitIsAllRows(t *testing.T) {
	flags := flag.NewFlagSet("list", flag.ContinueOnError)
	flags.Int("limit", math.MaxInt, "")
	musttest.Same(t, everyRow, musttest.Get(limitOf(cli.NewContext(nil, flags, nil)))(t), "--limit %d", math.MaxInt)
}

// A flag that answers a question of setup is a person's to give, also one that is added.
func TestSetupsAnswersAreAPersons(t *testing.T) {
	flags := []string{"yes"}
	for _, q := range setupQuestions {
		flags = append(flags, q.flag)
	}
	for _, name := range flags {
		for _, written := range []string{"--" + name, "-" + name + "=yes"} {
			if _, only := consent.NeedsPerson([]string{"setup", written}); !only {
				t.Errorf("memory setup %s is answered by a model", written)
			}
		}
	}
	if _, only := consent.NeedsPerson([]string{"setup", "--json"}); only {
		t.Error("memory setup --json needs a person")
	}
}
