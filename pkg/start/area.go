package start

import (
	"cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// otherArea is the area of facts whose author named none.
const otherArea = "other"

func areaOf(m memory.Memory) string { return cmp.Or(m.Area, otherArea) }
