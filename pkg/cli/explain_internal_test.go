package cli

import (
	"strings"
	"testing"
	"time"
)

func TestPicturesAreInProportion(t *testing.T) {
	if got := sparkline([]float64{0, 0.01, 0.5, 1}, 1); got != "·▁▅█" {
		t.Errorf("drew %s", got)
	}
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	got := histogram([]time.Time{noon, noon.Add(time.Hour), noon.Add(time.Hour)}, noon, noon.Add(time.Hour))
	if got != "▅"+strings.Repeat("·", historyBars-2)+"█" {
		t.Errorf("drew %s", got)
	}
}
