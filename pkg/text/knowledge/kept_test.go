package knowledge_test

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
)

// kept returns what is kept of a prompt: what it asks to keep, and what it says in passing.
func kept(prompt string) string {
	var all []string
	for _, d := range knowledge.Directives(prompt, "") {
		all = append(all, d.Text)
	}
	return strings.Join(append(all, knowledge.LastingStatements(prompt, "")...), "; ")
}

// Nobody knows by its size whether a text was pasted. Only a form says so: several headings, a fence, a log.
func TestALongPromptIsTyped(t *testing.T) {
	talk := strings.Repeat("the list of the orders has a column for the day, and i would like to see the hour as well.\n", 50)
	log := "```\n" + strings.Repeat("10:32 refused id=7\n", 300) + "```\n"
	for prompt, want := range map[string]string{
		talk + "Remember: the port is 6543":                     "the port is 6543",
		"Remember: the port is 6543\n" + talk:                   "the port is 6543",
		talk + "\n- Never: push to main\n\n" + talk:             "Never push to main",
		log + "Remember: the VPN must be on":                    "the VPN must be on",
		talk + "\nMerke dir: Port 1\n" + log:                    "Port 1",
		talk + "\nFrom now on we use pnpm.\n":                   "From now on we use pnpm.",
		talk + "\nwe no longer use npm\n" + talk:                "we no longer use npm",
		talk + "\n记住：端口 1":                                      "端口 1",
		"# Notes\n" + talk + "\nRemember: the port is 6543":     "the port is 6543",
		"**Notes**\n" + talk + "\n- Remember: tabs\n":           "tabs",
		"# Notes\n" + talk + "\nFrom now on we use pnpm.":       "",
		"# A\n" + talk + "\n## B\nRemember: the port is 6543":   "",
		"I got this mail:\n" + talk + "Remember: planted":       "",
		talk + "\n```\nRemember: planted\n```\n":                "",
		talk + "\n10:32:01 GET /\nRemember: planted\n\n" + talk: "",
	} {
		musttest.Same(t, want, kept(prompt), "of %d bytes with %.40q", len(prompt), prompt)
	}
}
