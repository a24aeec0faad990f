package surreal

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// BenchmarkLookUp looks up the 16 keys of 100 memories among 5,000, with the alternatives for
// storing keys in ADR 0008.
func BenchmarkLookUp(b *testing.B) {
	const memories, asked = 5000, 100
	keyOf := func(memory, band int) string { return fmt.Sprintf("%08x%08x", memory*2654435761%4294967291, band) }
	conn := emptyDatabase(b)
	run := func(sql string, vars map[string]any) {
		b.Helper()
		if _, err := conn.Run(b.Context(), wire.Request{SQL: sql, Vars: vars, Timeout: time.Minute}); err != nil {
			b.Fatal(err)
		}
	}
	run(`DEFINE TABLE keyed; DEFINE INDEX keyed_keys ON keyed FIELDS keys.*;
		DEFINE TABLE pair; DEFINE INDEX pair_key ON pair FIELDS key; DEFINE TABLE band;`, nil)
	for from := 0; from < memories; from += 50 {
		var keyed, pairs, bands []map[string]any
		for n := from; n < from+50; n++ {
			keys := make([]string, 16)
			for band := range keys {
				keys[band] = keyOf(n, band)
				pairs = append(pairs, map[string]any{"key": keys[band], "memory": n})
				bands = append(bands, map[string]any{"id": recordID("band", keys[band]), "memories": []int{n}})
			}
			keyed = append(keyed, map[string]any{"id": recordID("keyed", fmt.Sprint(n)), "keys": keys})
		}
		run(`INSERT INTO keyed $keyed RETURN NONE; INSERT INTO pair $pairs RETURN NONE; INSERT INTO band $bands RETURN NONE;`,
			map[string]any{"keyed": keyed, "pairs": pairs, "bands": bands})
	}
	var all []string
	perMemory, vars := make([][]string, asked), map[string]any{}
	var keyedEach, pairEach strings.Builder
	for n := range perMemory {
		for band := range 16 {
			key := keyOf(n*37, band)
			vars[fmt.Sprint("k", len(all))] = key
			fmt.Fprintf(&keyedEach, "SELECT VALUE id FROM keyed WHERE keys CONTAINS $k%d;", len(all))
			fmt.Fprintf(&pairEach, "SELECT VALUE memory FROM pair WHERE key = $k%d;", len(all))
			perMemory[n], all = append(perMemory[n], key), append(all, key)
		}
	}
	ids := make([]any, len(all))
	for i, key := range all {
		ids[i] = recordID("band", key)
	}
	for name, ask := range map[string]func(){
		"array, CONTAINSANY a memory": func() {
			for _, keys := range perMemory {
				run("SELECT VALUE id FROM keyed WHERE keys CONTAINSANY $keys", map[string]any{"keys": keys})
			}
		},
		"array, CONTAINS a key": func() { run(keyedEach.String(), vars) },
		"pairs, IN":             func() { run("SELECT VALUE memory FROM pair WHERE key IN $keys", map[string]any{"keys": all}) },
		"pairs, = a key":        func() { run(pairEach.String(), vars) },
		"band by id":            func() { run("SELECT memories FROM $ids WHERE id != NONE", map[string]any{"ids": ids}) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				ask()
			}
		})
	}
}
