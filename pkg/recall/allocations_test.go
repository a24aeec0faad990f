package recall_test

import (
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/alloctest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// TestAQueryAllocatesLittle bounds what ranking among 10,000 memories allocates: nothing
// that grows with them.
func TestAQueryAllocatesLittle(t *testing.T) {
	const n = 10_000
	x := madeIndex(n)
	v := newVocabulary(2)
	text, now := v.text(10), epoch.Add(n*7*time.Minute)
	alloctest.AtMost(t, 120, 40_000, func() { x.Recall(recall.Query{Text: text, Now: now}) })
}

// TestPackingAllocatesLittle bounds what it takes to pack a start of 600 memories into
// the default budget: only what fits is rendered.
func TestPackingAllocatesLittle(t *testing.T) {
	c := counter(t)
	start := madeStart(c)
	alloctest.AtMost(t, 14_000, 4_500_000, func() { recall.PackSections(recall.StartSections(start, c), 2000, 1, c) })
}
