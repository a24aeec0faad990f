package structure

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A comment names a thing by a noun ("the kept rows"), and not by a clause with what ("what was
// kept"), which leaves the reader to find out the noun. wordyShare is the share of a
// package's comment lines that may hold such a clause nevertheless.
const wordyShare = 0.03

var wordy = regexp.MustCompile(`(?i)\bwhat\b`)

// unread are packages whose comments are not written again yet. The list must only shrink.
var unread = []string{
	"pkg/secrets/secretstest",
}

// TestCommentsNameThingsByNouns also fails for a package that could leave the list.
func TestCommentsNameThingsByNouns(t *testing.T) {
	all := commentLines(t)
	packages := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(all[b].share(), all[a].share()), cmp.Compare(a, b))
	})
	for _, name := range packages {
		p := all[name]
		switch isUnread := slices.Contains(unread, name); {
		case p.isWordy() && !isUnread:
			t.Errorf("%s has %d of %d comment lines with a what-clause, at most %.0f %% may have one; write a noun instead (docs/glossary.md has the terms):\n%s",
				name, len(p.wordy), p.lines, 100*wordyShare, strings.Join(p.wordy, "\n"))
		case !p.isWordy() && isUnread:
			t.Errorf("%s has %d of %d comment lines with a what-clause: take it off the list", name, len(p.wordy), p.lines)
		}
	}
	if len(packages) < 50 {
		t.Errorf("only %d packages have comments: this reads nothing", len(packages))
	}
}

// vague are words that stand for a dozen verbs each: a function reports, returns, records, injects
// or logs. most is the share of all comment lines, tests included, that may have one; it must only
// shrink.
var vague = []struct {
	word *regexp.Regexp
	most float64
}{
	{regexp.MustCompile(`(?i)\b(tell|tells|told|telling)\b`), 0.003},
	{regexp.MustCompile(`(?i)\b(say|says|said|saying)\b`), 0.004},
	{wordy, 0.004},
}

func TestCommentsUseDefiniteVerbs(t *testing.T) {
	for _, v := range vague {
		lines := 0
		var found []string
		eachProseLine(t, func(name string, at int, line string) {
			lines++
			if v.word.MatchString(line) {
				found = append(found, fmt.Sprintf("%s:%d: %s", name, at, line))
			}
		})
		share := float64(len(found)) / float64(lines)
		t.Logf("%s: %d of %d comment lines, %.2f %%", v.word, len(found), lines, 100*share)
		if share > v.most {
			t.Errorf("%d of %d comment lines have %s, at most %.1f %% may; write the verb that is meant:\n%s",
				len(found), lines, v.word, 100*v.most, strings.Join(found, "\n"))
		}
	}
}

// packageComments are the comment lines of one package.
type packageComments struct {
	lines int
	wordy []string // FILE:LINE: TEXT
}

func (p *packageComments) share() float64 { return float64(len(p.wordy)) / float64(p.lines) }

// isWordy allows one line to the smallest packages.
func (p *packageComments) isWordy() bool { return len(p.wordy) > 1 && p.share() > wordyShare }

// commentLines are those of each folder with Go that is no test, by its path in the repository.
func commentLines(t *testing.T) map[string]*packageComments {
	t.Helper()
	all := map[string]*packageComments{}
	eachProseLine(t, func(name string, at int, line string) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		folder := name[:strings.LastIndex(name, "/")]
		if all[folder] == nil {
			all[folder] = &packageComments{}
		}
		all[folder].lines++
		if wordy.MatchString(line) {
			all[folder].wordy = append(all[folder].wordy, fmt.Sprintf("%s:%d: %s", name, at, line))
		}
	})
	return all
}

// eachProseLine visits each line of a comment that is not empty, with its file and its number.
func eachProseLine(t *testing.T, visit func(name string, at int, line string)) {
	t.Helper()
	for _, root := range []string{"apps", "migrations", "pkg", "schema", "scripts"} {
		err := filepath.WalkDir(filepath.Join(repository, root), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "node_modules") {
				return fs.SkipDir
			}
			if strings.HasSuffix(path, ".go") {
				return proseLinesOf(path, visit)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func proseLinesOf(path string, visit func(name string, at int, line string)) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	name, err := filepath.Rel(repository, path)
	if err != nil {
		return err
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			first := fset.Position(comment.Pos()).Line
			for i, line := range proseLines(comment) {
				if line != "" {
					visit(filepath.ToSlash(name), first+i, line)
				}
			}
		}
	}
	return nil
}

// proseLines are the lines of a comment, of either form, without its marks. A directive
// such as //go:embed has none.
func proseLines(comment *ast.Comment) []string {
	text, isLine := strings.CutPrefix(comment.Text, "//")
	if isLine && text != "" && text[0] != ' ' && text[0] != '\t' {
		return nil
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "/*"), "*/")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return lines
}
