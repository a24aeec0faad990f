package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

var update = flag.Bool("update", false, "draw "+pictureFile+" again")

// TestThePictureShowsTheReadmesBlock holds the picture to the block that the demo compares with session two.
func TestThePictureShowsTheReadmesBlock(t *testing.T) {
	readme := musttest.Get(os.ReadFile(filepath.Join("../..", readmeFile)))(t)
	block := musttest.Get(readmeBlock(string(readme)))(t)
	drawn, file := picture(block), filepath.Join("../..", pictureFile)
	if *update {
		musttest.Do(t, os.WriteFile(file, []byte(drawn), 0o644))
	}
	if have, err := os.ReadFile(file); err != nil || string(have) != drawn {
		t.Errorf("%s does not show the block of README.md (%v): go test ./scripts/demo -update", pictureFile, err)
	}
}
