package recall

import (
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

// completing lists the commands that complete work, in the form of shell.Normalize, each with the words of cues, and the type of work of
// the user's rules, that it recalls. Half of what users had to say again had been left out then: a test, a line of the changelog.
var completing = []struct {
	command, words string
	work           workType
}{
	{"git commit", "commit commits committing", "commits"},
	{"git push", "push pushes pushing", ""},
	{"gh pr create", "pr prs pull-request pull-requests", "pull requests"},
	{"glab mr create", "mr mrs merge-request merge-requests", "pull requests"},
	{"gh release create", "release releases releasing publish", "releases"},
	{"git tag", "release releases releasing tag", "releases"},
	{"npm publish", "release releases releasing publish", "releases"},
}

// completedBy returns the commands that complete the work that a cue names, or one of the types of work of a rule.
func completedBy(cue string, work []workType) (commands []string) {
	words := strings.NewReplacer("pull request", "pull-request", "merge request", "merge-request").Replace(strings.ToLower(cue))
	for _, of := range completing {
		isNamed := slices.ContainsFunc(language.Fields(words), func(f language.Field) bool {
			return slices.Contains(strings.Fields(of.words), f.Word)
		})
		if isNamed || slices.Contains(work, of.work) {
			commands = append(commands, of.command)
		}
	}
	return commands
}

// completed returns the command of completing that a core begins with; without one, the core.
func completed(core string) string {
	for _, of := range completing {
		if strings.HasPrefix(core+" ", of.command+" ") {
			return of.command
		}
	}
	return core
}
