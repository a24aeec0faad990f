package structure

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// quoted is code and examples inside prose: a quoted user may double a word.
var quoted = regexp.MustCompile("(?s)```.*?```|`[^`]*`|\"[^\"]*\"|“[^”]*”")

// godoc is the name with which a comment begins: "Counts counts the rows" is as Go has it.
var godoc = regexp.MustCompile(`^(Package )?\w+ `)

// TestNoWordIsDoubled reads all comments, those of tests too, and the pages for readers. A name of a parameter that doubles
// the word before it (least, after "at least") reads as a mistake, too: it needs another name.
func TestNoWordIsDoubled(t *testing.T) {
	texts := 0
	check := func(place, text string) {
		texts++
		if word := doubled(text); word != "" {
			t.Errorf("%s has %q twice in a row", place, word)
		}
	}
	err := filepath.WalkDir(repository, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && path != repository || entry.Name() == "testdata" || entry.Name() == "node_modules"):
			return fs.SkipDir
		case strings.HasSuffix(path, ".go"):
			return eachComment(path, check)
		case strings.HasSuffix(path, ".md") && !strings.HasSuffix(path, "-rules.md"): // tables that are made of the rules
			text, err := os.ReadFile(path)
			for i, paragraph := range strings.Split(quoted.ReplaceAllString(string(text), "\n\n"), "\n\n") {
				check(fmt.Sprintf("%s, paragraph %d", path, i+1), paragraph)
			}
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if texts < 10_000 {
		t.Errorf("only %d texts were read", texts)
	}
}

func eachComment(path string, visit func(place, text string)) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, group := range file.Comments {
		var lines []string
		for _, comment := range group.List {
			lines = append(lines, proseLines(comment)...)
		}
		text := godoc.ReplaceAllString(strings.Join(lines, " "), "")
		visit(fset.Position(group.Pos()).String(), quoted.ReplaceAllString(text, "."))
	}
	return nil
}

// doubled is the first word of letters that follows itself, or "".
func doubled(text string) string {
	before := ""
	for _, word := range strings.Fields(text) {
		if word == strings.ToUpper(word) { // the argument of a command: "merges FROM into INTO"
			before = ""
			continue
		}
		word = strings.ToLower(word)
		if bare := strings.TrimRight(word, ".,;:"); bare == before && isWord(bare) {
			return bare
		}
		before = word
	}
	return ""
}

func isWord(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && r != '\'' }) < 0
}

func TestDoubled(t *testing.T) {
	for text, want := range map[string]string{
		"the first\nfirst row": "first", "The the": "the", "a row, row by row": "", "10 10": "", "puts FROM into INTO": "", "as it is is": "is", "oldest first, first.": "", "the first first;": "first", "": "",
	} {
		if got := doubled(text); got != want {
			t.Errorf("doubled(%q) = %q, want %q", text, got, want)
		}
	}
}
