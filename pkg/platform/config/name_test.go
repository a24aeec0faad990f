package config_test

import (
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
)

// TestNamesInTheStoreNeedNoQuotation: names that the engine or an address would read as something else are refused.
func TestNamesInTheStoreNeedNoQuotation(t *testing.T) {
	for value, isGood := range map[string]bool{
		"memory": true, "claude_memory-2": true, "größe": true, "a%b": false, "a`b": false, "a b": false, "a/b": false, "a;b": false, "a'b": false, "⟨a⟩": false, "a.b": false, "": false,
	} {
		for _, key := range []string{"store.namespace", "store.database"} {
			if err := config.Set(filepath.Join(t.TempDir(), "config.json"), key, value); (err == nil) != isGood {
				t.Errorf("%s=%q: %v", key, value, err)
			}
		}
	}
}
