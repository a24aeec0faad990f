// Package walkthroughs follows the walk-throughs of CONTRIBUTING.md and of its own README.md in a copy of the
// tree: it makes their changes and runs their commands, so that none is wrong for long.
package walkthroughs

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

const (
	repository = "../.."
	count      = 10 // walk-throughs
	mostFiles  = 6  // that a walk-through has changed by hand
)

var followed = flag.Bool("follow", false, "follow the walk-throughs in a copy of the tree, which takes minutes")

// TestTheWalkthroughs follows them one after the other in one copy: they are about
// different places, and each must leave the tree whole.
func TestTheWalkthroughs(t *testing.T) {
	if !*followed {
		t.Skip("it builds a copy of the tree: make walkthroughs")
	}
	tree, ways := copied(t), documented(t)
	musttest.Same(t, count, len(ways), "how many walk-throughs there are")
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			if len(way.blocks) == 0 {
				t.Error("there is nothing to follow")
			}
			for _, block := range way.blocks {
				musttest.Do(t, follow(t, tree, block))
			}
		})
	}
}

// TestTheDiffsFitTheTree applies the diffs alone, which takes no build: a change of the
// lines around one is seen at once.
func TestTheDiffsFitTheTree(t *testing.T) {
	tree, applied := copied(t), 0
	for _, way := range documented(t) {
		changed := map[string]bool{}
		for _, block := range way.blocks {
			if block.language != "diff" {
				continue
			}
			applied++
			for _, line := range block.lines {
				if file, names := strings.CutPrefix(line, "--- "); names {
					changed[file] = true
				}
			}
			if err := apply(tree, block.lines); err != nil {
				t.Errorf("%s: %v", way.name, err)
			}
		}
		if len(changed) > mostFiles {
			t.Errorf("%s changes %d files by hand, %d at most", way.name, len(changed), mostFiles)
		}
	}
	if applied < count {
		t.Errorf("only %d diffs are in the walk-throughs", applied)
	}
}

// documented returns the walk-throughs of both pages, the small changes first.
func documented(t *testing.T) (ways []walkthrough) {
	t.Helper()
	for _, page := range []string{"CONTRIBUTING.md", "scripts/walkthroughs/README.md"} {
		text := musttest.Get(os.ReadFile(filepath.Join(repository, page)))(t)
		ways = append(ways, sections(string(text))...)
	}
	return ways
}

// copied is a copy of the tree as it would be committed.
func copied(t *testing.T) string {
	t.Helper()
	tree := t.TempDir()
	list := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = repository
	names := musttest.Get(list.Output())(t)
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		musttest.Do(t, copyFile(filepath.Join(repository, name), filepath.Join(tree, name)))
	}
	return tree
}

func copyFile(from, to string) (err error) {
	info, err := os.Lstat(from)
	if errors.Is(err, os.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil // deleted and not committed yet, or a link
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// walkthrough is a section of the document.
type walkthrough struct {
	name   string
	blocks []block
}

// block is the text between two fences.
type block struct {
	language string // sh is run, diff is applied
	lines    []string
}

// sections are the headings below "Walk-throughs" with their blocks.
func sections(text string) []walkthrough {
	_, text, _ = strings.Cut(text, "\n## Walk-throughs\n")
	text, _, _ = strings.Cut(text, "\n## ")
	var all []walkthrough
	var open *block
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		name, isHeading := strings.CutPrefix(line, "### ")
		language, isFence := strings.CutPrefix(line, "```")
		switch {
		case isHeading && open == nil:
			all = append(all, walkthrough{name: name})
		case isFence && open == nil && len(all) > 0:
			open = &block{language: language}
		case isFence && open != nil:
			last := &all[len(all)-1]
			last.blocks, open = append(last.blocks, *open), nil
		case open != nil:
			open.lines = append(open.lines, line)
		}
	}
	return all
}

// follow carries out a block.
func follow(t *testing.T, tree string, b block) error {
	t.Helper()
	switch b.language {
	case "sh":
		return run(t, tree, strings.Join(b.lines, "\n"))
	case "diff":
		return apply(tree, b.lines)
	}
	return fmt.Errorf("a block of %q: only sh and diff can be followed", b.language)
}

// run has a shell do the commands, each of which must succeed.
func run(t *testing.T, tree, script string) error {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", script)
	cmd.Dir = tree
	// Built as make build does, by its GOFLAGS, so that objects which that and the copy before have compiled are found again.
	cmd.Env = append(os.Environ(), "MEMORY_HOME="+filepath.Join(t.TempDir(), "home"), "CGO_ENABLED=0")
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s\n%w\n%s", script, err, output)
	}
	return nil
}

// apply makes the changes of a diff. "--- FILE" names the file, which is made if it is
// not there; "@@" begins another place. A place is where its unchanged and removed
// lines stand, whatever their number; they must stand there once.
func apply(tree string, lines []string) error {
	var file string
	var before, after []string
	flush := func() error {
		if len(before)+len(after) == 0 {
			return nil
		}
		err := replace(filepath.Join(tree, file), before, after)
		before, after = nil, nil
		return err
	}
	for _, line := range lines {
		name, isFile := strings.CutPrefix(line, "--- ")
		switch {
		case isFile, line == "@@":
			if err := flush(); err != nil {
				return err
			}
			if isFile {
				file = name
			}
		case strings.HasPrefix(line, "+"):
			after = append(after, line[1:])
		case strings.HasPrefix(line, "-"):
			before = append(before, line[1:])
		default:
			before, after = append(before, strings.TrimPrefix(line, " ")), append(after, strings.TrimPrefix(line, " "))
		}
	}
	return flush()
}

func replace(file string, before, after []string) error {
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) && len(before) == 0 {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		return os.WriteFile(file, []byte(strings.Join(after, "\n")+"\n"), 0o600)
	}
	if err != nil {
		return err
	}
	old, text := strings.Join(before, "\n")+"\n", string(data)
	if n := strings.Count(text, old); len(before) == 0 || n != 1 {
		return fmt.Errorf("%s has %d times, and not once:\n%s", file, n, old)
	}
	return os.WriteFile(file, []byte(strings.Replace(text, old, strings.Join(after, "\n")+"\n", 1)), 0o600)
}
