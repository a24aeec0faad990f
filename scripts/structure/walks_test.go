package structure

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

const repository = "../.."

// walk is one of the drawings of docs/architecture.md.
type walk struct {
	title string
	steps []step
	// notified are the rooms that are notified at its end.
	notified []string
}

// step is a function, or a method, of a file.
type step struct{ file, function string }

// room is the room that shows the package of the step.
func (s step) room() string { return groupOf(path.Dir(s.file)) }

var (
	walkTitle    = regexp.MustCompile(`^([A-Z][a-z ]+), from .*:$`)
	walkStep     = regexp.MustCompile(`(pkg/\S+\.go) (\w+)`)
	walkNotified = regexp.MustCompile(`pkg/[a-z/]+`)
)

// walks reads the section "Three walks".
func walks(t *testing.T) []walk {
	t.Helper()
	text := musttest.Get(os.ReadFile(filepath.Join(repository, "docs", "architecture.md")))(t)
	_, section, _ := strings.Cut(string(text), "\n## Three walks\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var all []walk
	for line := range strings.Lines(section) {
		drawn, isDrawn := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "    ")
		if title := walkTitle.FindStringSubmatch(strings.TrimSpace(line)); !isDrawn && title != nil {
			all = append(all, walk{title: title[1]})
		}
		if !isDrawn || len(all) == 0 {
			continue
		}
		last := &all[len(all)-1]
		if found := walkStep.FindStringSubmatch(drawn); found != nil {
			last.steps = append(last.steps, step{found[1], found[2]})
		} else if strings.Contains(drawn, "+--") {
			last.notified = walkNotified.FindAllString(drawn, -1)
		}
	}
	return all
}

// TestTheWalksNameCode checks the walks against the code: each step names a function, or a
// method, of the file beside it.
func TestTheWalksNameCode(t *testing.T) {
	all := walks(t)
	if len(all) != 3 {
		t.Fatalf("docs/architecture.md draws %d walks", len(all))
	}
	for _, w := range all {
		if len(w.steps) < 4 {
			t.Errorf("%s: %d steps", w.title, len(w.steps))
		}
		for _, s := range w.steps {
			source, err := os.ReadFile(filepath.Join(repository, filepath.FromSlash(s.file)))
			if err != nil {
				t.Errorf("%s: %v", w.title, err)
				continue
			}
			if !regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + s.function + `\(`).Match(source) {
				t.Errorf("%s: %s has no function %s", w.title, s.file, s.function)
			}
		}
	}
}
