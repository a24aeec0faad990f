package structure

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostShipped is the most lines of Go that the programs may be made of. Who adds lines
// takes others out, or says in the commit why the number rises.
const mostShipped = 89_000

// mostInRooms is the most lines that testRooms may have.
const mostInRooms = 3_105

// mostLong is the most lines of more than lineLength characters among those of programs and
// scripts without tests, in percent.
const (
	mostLong   = 1.0
	lineLength = 120
)

// mostInMains are the most lines of each main package that wires parts together.
const mostInMains = 250

// testRooms are the packages below pkg that only tests use.
var testRooms = []string{"agent/agenttest", "alloctest", "cli/terminal/terminaltest", "engine/enginetest", "memory/memstore", "memory/storetest", "paths/plugintest", "surreal/surrealtest", "surreal/wiretest"}

// TestTheShippedProgramsAreNoLarger counts the lines of pkg and apps, without tests, what
// only tests use, and the benchmarks.
func TestTheShippedProgramsAreNoLarger(t *testing.T) {
	lines, rooms := 0, 0
	for _, root := range []string{"pkg", "apps"} {
		err := filepath.WalkDir(filepath.Join(repository, root), func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			name, err := filepath.Rel(filepath.Join(repository, root), filepath.Dir(file))
			if err != nil || root == "apps" && strings.HasPrefix(filepath.ToSlash(name)+"/", "bench/") {
				return err
			}
			text, err := os.ReadFile(file)
			if count := bytes.Count(text, []byte("\n")); root == "pkg" && slices.Contains(testRooms, filepath.ToSlash(name)) {
				rooms += count
			} else {
				lines += count
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d lines are shipped, and %d more are for tests", lines, rooms)
	if lines > mostShipped {
		t.Errorf("the programs are made of %d lines of Go, %d at most", lines, mostShipped)
	}
	if rooms > mostInRooms {
		t.Errorf("the packages that only tests use have %d lines, %d at most", rooms, mostInRooms)
	}
	if rooms < mostInRooms-300 {
		t.Errorf("the packages that only tests use have only %d lines: lower mostInRooms", rooms)
	}
	if lines < mostShipped-500 {
		t.Errorf("the programs are made of only %d lines of Go: lower mostShipped", lines)
	}
}

// TestFewLinesAreLong counts the long lines of what is not only for tests.
func TestFewLinesAreLong(t *testing.T) {
	lines, long := 0, 0
	for _, root := range []string{"apps", "migrations", "pkg", "schema", "scripts"} {
		err := filepath.WalkDir(filepath.Join(repository, root), func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			text, err := os.ReadFile(file)
			for line := range strings.Lines(string(text)) {
				lines++
				if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > lineLength {
					long++
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	share := 100 * float64(long) / float64(max(lines, 1))
	t.Logf("%d of %d lines (%.2f %%) have more than %d characters", long, lines, share, lineLength)
	if lines == 0 || share > mostLong {
		t.Errorf("%.2f %% of the lines have more than %d characters, %.1f %% at most: wrap those that you wrote", share, lineLength, mostLong)
	}
}

// TestTheMainsOnlyWire: what decides stands in a package, with its tests.
func TestTheMainsOnlyWire(t *testing.T) {
	for _, name := range []string{"memoryd", "memory-migrate"} {
		files, err := filepath.Glob(filepath.Join(repository, "apps", name, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			lines += bytes.Count(text, []byte("\n"))
		}
		if lines == 0 || lines > mostInMains {
			t.Errorf("apps/%s has %d lines, %d at most", name, lines, mostInMains)
		}
	}
}
