package cli

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// Below a client no command shows anything of a project that is off, nor does one that is added later: each example of each command is refused
// with the sentence that a model gets from the MCP server, or as a person's command, unless it is listed as one that shows no words.
func TestNoCommandShowsWhatIsOffBelowAClient(t *testing.T) {
	x := newUser(t)
	x.ok(t, "projects", "off")
	x.env["CLAUDECODE"] = "1"
	const off = "; switch it on with memory projects on, in your own terminal"
	refused := 0
	var walk func([]string, []*cli.Command)
	walk = func(above []string, commands []*cli.Command) {
		for _, one := range commands {
			path := append(above[:len(above):len(above)], one.Name)
			walk(path, one.Subcommands)
			if !hasAction(one) || isAmong(wordless, path) {
				continue
			}
			_, examples, _ := strings.Cut(one.Description, examplesTitle)
			for line := range strings.Lines(examples) {
				_, line, _ = strings.Cut(line, "memory ")
				line, _, _ = strings.Cut(line, " |")
				line, _, _ = strings.Cut(line, " >")
				code, out, said := x.run(t, strings.Fields(strings.ReplaceAll(quotedWords.ReplaceAllString(line, "words"), ")", ""))...)
				if code != exitFailed || out != "" || !strings.Contains(said, "memory is off for ") || !strings.Contains(said, off) {
					if !strings.Contains(said, "only a person ") {
						t.Errorf("memory %s: exit code %d, %q, %q; want that memory is off", strings.TrimSpace(line), code, out, said)
					}
					continue
				}
				refused++
			}
		}
	}
	walk(nil, idle().app().Commands)
	if refused < 20 {
		t.Errorf("%d examples were refused because memory is off", refused)
	}
}

var quotedWords = regexp.MustCompile(`"[^"]*"`)

// The project of --project is asked, and the one of the working directory, whatever makes it off.
func TestBothProjectsOfACommandMustBeOn(t *testing.T) {
	for name, c := range map[string]struct {
		switching [][]string
		file      string // is made in the other project
		args      []string
	}{
		"here":                      {switching: [][]string{{"projects", "off"}}, args: []string{"list"}},
		"here, asked for the other": {switching: [][]string{{"projects", "off"}}, args: []string{"list", "--project", "OTHER"}},
		"the other":                 {switching: [][]string{{"projects", "off", "OTHER"}}, args: []string{"list", "--project", "OTHER", "word"}},
		"by a file":                 {file: ".claude/memory-off", args: []string{"recall", "--project", "OTHER", "word"}},
		"not listed":                {switching: [][]string{{"projects", "only", "OTHER"}}, args: []string{"export"}},
		"the other is not listed":   {switching: [][]string{{"projects", "only"}}, args: []string{"sessions", "--project", "OTHER"}},
		"as JSON":                   {switching: [][]string{{"projects", "off"}}, args: []string{"sessions", "--json", "0123abcd"}},
		"of the user":               {switching: [][]string{{"projects", "off"}}, args: []string{"list", "--user"}},
		"events":                    {switching: [][]string{{"projects", "off"}}, args: []string{"list", "--events"}},
		"all projects":              {switching: [][]string{{"projects", "off"}}, args: []string{"sessions", "--all"}},
	} {
		t.Run(name, func(t *testing.T) {
			x := newUser(t)
			other := t.TempDir()
			named := func(args []string) (all []string) {
				for _, arg := range args {
					all = append(all, strings.ReplaceAll(arg, "OTHER", other))
				}
				return all
			}
			for _, args := range c.switching {
				x.ok(t, named(args)...)
			}
			if c.file != "" {
				musttest.Do(t, errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(other, c.file)), 0o700), os.WriteFile(filepath.Join(other, c.file), nil, 0o600)))
			}
			x.env["CLAUDECODE"] = "1"
			x.says(t, exitFailed, "memory is ", named(c.args)...)
		})
	}
}
