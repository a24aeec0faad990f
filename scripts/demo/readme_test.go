package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "draw "+pictureFile+" again")

// TestThePictureShowsTheReadmesBlock holds the picture to the block that the demo compares with session two.
func TestThePictureShowsTheReadmesBlock(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("../..", readmeFile))
	if err != nil {
		t.Fatal(err)
	}
	block, err := readmeBlock(string(readme))
	if err != nil {
		t.Fatal(err)
	}
	drawn, file := picture(block), filepath.Join("../..", pictureFile)
	if *update {
		if err := os.WriteFile(file, []byte(drawn), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(file); err != nil || string(have) != drawn {
		t.Errorf("%s does not show the block of README.md (%v): go test ./scripts/demo -update", pictureFile, err)
	}
}
