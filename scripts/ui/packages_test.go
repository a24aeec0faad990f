//go:build ui

package ui

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestTheEmbeddedFilesAreThoseOfThePackages compares what the dashboard embeds with the
// npm packages that its lock file pins.
func TestTheEmbeddedFilesAreThoseOfThePackages(t *testing.T) {
	dir, source := t.TempDir(), "../../pkg/dashboard"
	for _, file := range []string{"package.json", "package-lock.json"} {
		data, err := os.ReadFile(filepath.Join(source, file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	for embedded, packed := range map[string]string{
		"htmx.min.js": "htmx.org/dist/htmx.min.js", "htmx.LICENSE": "htmx.org/LICENSE",
		"uPlot.iife.min.js": "uplot/dist/uPlot.iife.min.js", "uPlot.min.css": "uplot/dist/uPlot.min.css", "uPlot.LICENSE": "uplot/LICENSE",
	} {
		got, err := os.ReadFile(filepath.Join(source, "static", embedded))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(dir, "node_modules", packed))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("pkg/dashboard/static/%s is not %s of the pinned package", embedded, packed)
		}
	}
}
