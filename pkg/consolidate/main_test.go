package consolidate_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(enginetest.Draw(m, 4)) } // make chaos draws more
