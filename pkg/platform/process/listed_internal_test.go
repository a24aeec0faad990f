package process

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// TestPsTellsTheSameAsTheSystem, where there are both.
func TestPsTellsTheSameAsTheSystem(t *testing.T) {
	if _, err := exec.LookPath("ps"); err != nil || runtime.GOOS != "linux" {
		t.Skip("there are not both")
	}
	want, known := record(os.Getpid())
	got, ok := listed(os.Getpid())
	if !known || !ok || got.Parent != want.Parent || got.Args[0] != want.Args[0] || got.Started.Sub(want.Started).Abs() > 2*time.Second || time.Since(want.Started) > time.Hour {
		t.Errorf("ps tells %+v, %v, and the system %+v, %v", got, ok, want, known)
	}
}
