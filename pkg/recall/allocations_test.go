package recall_test

import (
	"sync"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/alloctest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// TestAQueryAllocatesLittle bounds the allocations of ranking among 10,000 memories: a score and a candidate for each.
func TestAQueryAllocatesLittle(t *testing.T) {
	const n = 10_000
	made := sync.OnceValue(func() *recall.Index { return madeIndex(n) }) // by the first call, which is not counted
	v := newVocabulary(2)
	text := v.text(10)
	alloctest.AtMost(t, 160, 500_000, func() { made().Recall(recall.Query{Text: text}) })
}
