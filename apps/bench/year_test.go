package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheYearsTablesAreRead(t *testing.T) {
	tables, err := readTables(strings.NewReader("A year\n\nTokens in sight, at the end\n  month  a  a-budget\n2026-01  5  10\n2026-02  7  10\n\nRuns, too\nmonth b\n2026-01 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := tables["Tokens in sight"]
	if len(tables) != 2 || len(got.months) != 2 || got.values[0][1] != 7 || got.columns[1] != "a-budget" {
		t.Errorf("tables %+v", tables)
	}
	if shares := got.ofBudgets(); shares.values[0][1] != 70 || shares.columns[1] != "budget" || shares.values[1][0] != 100 {
		t.Errorf("of budgets %+v", shares)
	}
	if _, err := readTables(strings.NewReader("Rows\nmonth a b\n2026-01 3\n")); err == nil {
		t.Error("a line that lacks a number was read")
	}
}

func TestTheYearIsDrawn(t *testing.T) {
	dir := t.TempDir()
	if err := drawYear("../../pkg/consolidate/testdata/year.golden", dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"consolidation-rows.png", "consolidation-tokens.png"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
