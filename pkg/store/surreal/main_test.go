package surreal_test

import (
	"os"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

func TestMain(m *testing.M) { os.Exit(enginetest.Wrap(m).Run()) }
