package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAMigrationIsCreatedAndCounted(t *testing.T) {
	dir := t.TempDir()
	file, err := run(dir, []string{"new", "client"})
	if err != nil || filepath.Base(file) != "0001_client.surql" {
		t.Fatalf("created %s: %v", file, err)
	}
	sums, before := filepath.Join(dir, "migrations.sum"), []byte(nil)
	if before, err = os.ReadFile(sums); err == nil {
		err = os.WriteFile(file, []byte("DEFINE TABLE client"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if written, err := run(dir, []string{"sum"}); err != nil || written != sums {
		t.Errorf("wrote %s: %v", written, err)
	}
	if after, err := os.ReadFile(sums); err != nil || string(after) == string(before) {
		t.Errorf("the checksums are still %s (%v)", after, err)
	}
	for _, args := range [][]string{nil, {"new"}, {"new", "a", "b"}, {"sum", "a"}, {"up"}} {
		if _, err := run(dir, args); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
