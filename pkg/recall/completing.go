package recall

import (
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

// completing are the commands that complete work, as shell.Normalize begins them, with the words of a cue, and the types of work of a rule that
// the user typed, that call for it then. Half of what users have to say again was left out: a test, a line of the changelog.
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

// completedBy are the commands that complete the work that a cue names, or that a rule is for.
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

// completed returns the command that a core is a form of, if that completes work; else the core.
func completed(core string) string {
	for _, of := range completing {
		if strings.HasPrefix(core+" ", of.command+" ") {
			return of.command
		}
	}
	return core
}
