package consolidate_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
)

func TestMain(m *testing.M) {
	if task := os.Getenv(childVariable); task != "" {
		os.Exit(child(task))
	}
	goleak.VerifyTestMain(enginetest.Wrap(m))
}
