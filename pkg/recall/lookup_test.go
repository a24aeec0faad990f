package recall_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// A memory that names a file by its path is of no other file that has the end of it.
func TestAPathNamesOneFile(t *testing.T) {
	e := note("web", "the entry is generated")
	e.Memory.Files = []string{"web/src/index.ts"}
	outside := note("outside", "the zone file is shared")
	outside.Memory.Files = []string{"/etc/zones/shop.conf"}
	x := indexOf([]recall.Entry{e, outside})
	for file, want := range map[string]int{
		"web/src/index.ts": 1, "packages/web/src/index.ts": 1, "index.ts": 0, "src/index.ts": 0, "api/src/index.ts": 0, "/etc/zones/shop.conf": 1,
	} {
		musttest.Same(t, want, len(x.File(file)), "%s is named by (-want +got)", file)
	}
}
