package cli

import (
	"flag"
	"math"
	"testing"

	"github.com/urfave/cli/v2"
)

// A list asks for one row more than the limit, and the largest number had none: only 20 rows were shown.
func TestTheLargestLimitIsAllRows(t *testing.T) {
	flags := flag.NewFlagSet("list", flag.ContinueOnError)
	flags.Int("limit", math.MaxInt, "")
	if limit, err := limitOf(cli.NewContext(nil, flags, nil)); err != nil || limit != everyRow {
		t.Errorf("--limit %d: %d, %v, want %d", math.MaxInt, limit, err, everyRow)
	}
}
