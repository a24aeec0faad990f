package agent_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestTheWalksNameCode holds the drawings of docs/architecture.md to the code: each
// step names a function, or a method, of the file beside it.
func TestTheWalksNameCode(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	steps := regexp.MustCompile(`(?m)^ {4}.*?(pkg/\S+\.go) (\w+)`).FindAllStringSubmatch(string(text), -1)
	if len(steps) < 15 {
		t.Errorf("the walks have %d steps", len(steps))
	}
	for _, step := range steps {
		source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(step[1])))
		if err != nil {
			t.Errorf("%s: %v", step[0], err)
			continue
		}
		if !regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + step[2] + `\(`).Match(source) {
			t.Errorf("%s has no function %s", step[1], step[2])
		}
	}
}
