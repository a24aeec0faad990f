package answers_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "12"); err != nil { // make chaos draws more
		panic(err)
	}
	goleak.VerifyTestMain(enginetest.Wrap(m))
}
