package recall

import (
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

// completing lists commands that end a piece of work, in the form of shell.CoreOf. Before such a command runs, recall
// looks for rules with a cue that contains one of the words, and for rules of the user that name the type of work:
// models forget rules at this moment.
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

// completedBy returns the commands of completing before which a rule is shown: those with a word that the rule's cue contains,
// and those that end one of the given types of work.
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

// completed returns the entry of the list completing with which the command core begins. If there is none, it returns core.
func completed(core string) string {
	for _, of := range completing {
		if strings.HasPrefix(core+" ", of.command+" ") {
			return of.command
		}
	}
	return core
}
