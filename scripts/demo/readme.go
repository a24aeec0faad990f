package main

import (
	"errors"
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
)

const (
	readmeFile  = "README.md"
	pictureFile = "docs/img/demo.svg"
	prompt      = "carry on with the deployment"
	columns     = 92 // characters in a line of the picture
)

// varying matches the parts of the injected text that differ between runs: short ids, days and times.
var varying = regexp.MustCompile(`\[[0-9a-f]{4,12} |\d{1,2} [A-Z][a-z]{2}\]|\d{4}-\d\d-\d\d \d\d:\d\d UTC`)

// readmeBlock returns the lines of the README that show what session two is given. It fails if there are none.
func readmeBlock(readme string) (string, error) {
	var block strings.Builder
	for line := range strings.Lines(readme) {
		text, isCode := strings.CutPrefix(line, "    ")
		switch {
		case isCode && (block.Len() > 0 || strings.HasPrefix(text, "## ")):
			block.WriteString(text)
		case block.Len() > 0:
			return block.String(), nil
		}
	}
	return "", errors.New("README.md shows no block that begins with ##")
}

// holdReadme fails if the README shows a different text than session two was given.
func holdReadme(given string) error {
	readme, err := os.ReadFile(readmeFile)
	if err != nil {
		return err
	}
	block, err := readmeBlock(string(readme))
	if err != nil {
		return err
	}
	if !strings.Contains(varying.ReplaceAllString(given, ""), varying.ReplaceAllString(block, "")) {
		return fmt.Errorf("README.md shows another text than session two was given: copy the lines above into it, then go test ./scripts/demo -update draws %s again", pictureFile)
	}
	return nil
}

// picture draws the prompt of session two twice: alone, and below the block that the plugin puts into context.
func picture(block string) string {
	lines := []string{"h|Without the plugin", "p|> " + prompt, "d|In context: CLAUDE.md and this prompt.", "", "h|With it"}
	for line := range strings.Lines(block) {
		kind := "t|"
		if strings.HasPrefix(line, "## ") {
			kind = "d|"
		}
		for _, part := range wrapped(strings.TrimSpace(line)) {
			lines = append(lines, kind+part)
		}
	}
	lines = append(lines, "p|> "+prompt)
	height := 20*len(lines) + 36
	var svg strings.Builder
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 %d" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13.5">
<style>rect{fill:#f6f8fa}text{fill:#1f2328;white-space:pre}.h{font-weight:bold}.d{fill:#59636e}.p{fill:#0550ae}
@media(prefers-color-scheme:dark){rect{fill:#161b22}text{fill:#e6edf3}.d{fill:#9198a1}.p{fill:#79c0ff}}</style>
<rect width="820" height="%[1]d" rx="8"/>
`, height)
	for i, line := range lines {
		if class, text, isText := strings.Cut(line, "|"); isText {
			fmt.Fprintf(&svg, "<text class=%q x=\"20\" y=\"%d\">%s</text>\n", class, 36+20*i, html.EscapeString(text))
		}
	}
	svg.WriteString("</svg>\n")
	return svg.String()
}

// wrapped splits a line at blanks into lines of at most columns characters; all but the first are indented.
func wrapped(line string) []string {
	all := []string{""}
	for _, word := range strings.Fields(line) {
		last := &all[len(all)-1]
		switch {
		case *last == "":
			*last = word
		case len([]rune(*last))+1+len([]rune(word)) > columns:
			all = append(all, "  "+word)
		default:
			*last += " " + word
		}
	}
	return all
}
