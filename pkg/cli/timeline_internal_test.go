package cli

import (
	"testing"
	"time"
)

func TestATimeIsReadInTheUsersZone(t *testing.T) {
	want := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	got, ok := parseInstant(time.FixedZone("X", -2*60*60), "2026-11-20 10:00")
	if !ok || !got.Equal(want) {
		t.Errorf("read as %s, %v", got, ok)
	}
}
