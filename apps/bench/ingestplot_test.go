package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestIngestIsDrawn holds the picture to be an SVG that names its curves, with the
// numbers of a burst.
func TestIngestIsDrawn(t *testing.T) {
	cost := burstCost{events: 500, took: 500 * time.Millisecond}
	cost.agent.CPU, cost.engine.CPU = 150*time.Millisecond, 350*time.Millisecond
	point := cost.point(4000)
	if want := (burstPoint{4000, 1000, 0.3, 0.7, 1}); point != want {
		t.Errorf("a burst is %+v, want %+v", point, want)
	}
	file := filepath.Join(t.TempDir(), "ingest.svg")
	if err := plotIngest(file, []burstPoint{{400, 1200, 0.3, 0.6, 0.9}, point}); err != nil {
		t.Fatal(err)
	}
	drawn, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"events/s", "memories in the store", "engine", "agent", "together"} {
		if !bytes.Contains(drawn, []byte(text)) {
			t.Errorf("the picture does not say %q", text)
		}
	}
	for d := xml.NewDecoder(bytes.NewReader(drawn)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("no SVG: %v", err)
		}
	}
	if err := plotIngest(filepath.Join(file, "no-folder"), nil); err == nil {
		t.Error("what cannot be written is no error")
	}
}
