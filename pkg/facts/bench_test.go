package facts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/facts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// BenchmarkPrompt asks a project of 10,000 facts.
func BenchmarkPrompt(b *testing.B) {
	subjects := strings.Fields("export invoice guest account carrier street ledger price migration ticket queue worker cache session token deploy region schema index retry")
	x := facts.New(facts.DefaultWeights())
	for i := range 10_000 {
		of := func(n int) string { return subjects[(i/n+n)%len(subjects)] }
		x.Put(memory.Memory{
			ID: fmt.Sprintf("%032d", i), Kind: memory.KindConvention, Importance: memory.FactImportance(1 + i%3),
			Content: fmt.Sprintf("The %s of the %s must never touch the %s, because number %d is read by the %s.", of(1), of(20), of(400), i, of(7)),
			Cues:    []string{of(1) + " " + of(20) + " fails", "change the " + of(400), fmt.Sprintf("pkg/%s/%s%d.go", of(7), of(1), i)},
		})
	}
	for b.Loop() {
		x.Prompt("why does the export of the guest account fail since the ledger migration touches the price?", false, 40)
	}
}
