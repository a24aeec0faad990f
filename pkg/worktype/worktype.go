// Package worktype knows the types of work that developers have rules for: tests,
// documentation, commits and the like. A rule about tests is worth telling when tests are
// asked for, whatever other words the request has.
package worktype

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
)

// Type is a type of work.
type Type string

// work holds the names of a type of work, and the verbs by which it is asked for. A name
// of several words is one phrase.
type work struct {
	of    Type
	verbs map[string]bool // before a name
	names []string
	// asked are names in prompts only: "fix the tests" asks how they are run.
	asked []string
	// alone are verbs that ask for the work without a name: "commit it".
	alone map[string]bool
	// rules are names that only rules use: "commits" is in many sentences, "commit
	// message" only in those about how to commit.
	rules []string
}

var (
	making     = set("add", "write", "rewrite", "create", "make", "generate", "implement", "extend", "expand", "update", "fix", "improve", "draft", "set", "include", "provide", "build")
	checking   = set("review", "refactor", "strengthen", "repair", "clean", "simplify", "port", "migrate", "restructure", "split", "rework", "cover", "debug")
	opening    = set("open", "create", "make", "raise", "submit", "write", "draft", "prepare", "file", "update", "send", "put")
	installing = set("add", "install", "upgrade", "update", "bump", "introduce")
	shipping   = set("make", "cut", "prepare", "create", "do", "tag", "publish", "ship")
)

var works = []work{
	{of: "tests", verbs: union(making, checking), names: []string{"test", "tests", "testing", "testcase", "testcases", "unittest", "unittests", "coverage", "e2e", "spec", "specs", "fixture", "fixtures", "mock", "mocks"}},
	{of: "documentation", verbs: union(making, checking), names: []string{
		"doc", "docs", "documentation", "document", "readme", "readme.md", "adr", "adrs", "docstring", "docstrings", "guide", "tutorial", "claude.md", "agents.md", "contributing.md",
	}, alone: set("document")},
	{of: "changelog", verbs: union(making, checking), names: []string{"changelog", "changelogs", "changelog.md", "change log"}},
	{
		of: "commits", verbs: union(opening, making), names: []string{"commit message", "commit messages"}, alone: set("commit", "squash", "amend"),
		rules: []string{"commit title", "commit body", "commit format", "committing", "conventional commits", "never commit", "always commit", "dont commit", "not commit", "before you commit", "commit after", "commit often", "small commits", "co-authored-by", "squash"},
	},
	{of: "pull requests", verbs: opening, names: []string{"pr", "prs", "pull request", "pull requests", "merge request", "mr"}},
	{of: "releases", verbs: shipping, names: []string{"release", "releases"}, alone: set("release", "deploy", "publish"), rules: []string{"deploy", "deployment", "deploying", "publish", "publishing", "releasing"}},
	{of: "dependencies", verbs: installing, names: []string{"dependency", "dependencies", "library", "libraries", "third-party"}},
	{of: "migrations", verbs: union(making, checking), names: []string{"migration", "migrations", "database schema", "schema change"}},
	{of: "logging", verbs: union(making, checking), names: []string{"logging", "log line", "log lines", "log message", "log messages", "logger"}},
	{of: "errors", verbs: union(making, set("handle", "wrap", "reword", "review")), names: []string{"error handling", "error message", "error messages", "exception", "exceptions"}, rules: []string{"wrap errors", "errors must", "errors should"}},
	{of: "running checks", verbs: set("fix", "repair", "debug", "run", "rerun"), asked: []string{"test", "tests", "suite", "build", "ci", "lint", "linter", "e2e"}, rules: []string{
		"run test", "run tests", "run the test", "run the tests", "running tests", "running the tests", "run lint", "run build", "run check", "run checks",
		"make test", "make check", "make lint", "make build", "just test", "just check", "task test", "go test", "go vet", "golangci-lint", "npm test", "yarn test",
		"pnpm test", "bun test", "vitest", "jest", "pytest", "tox", "nox", "ruff", "mypy", "cargo test", "cargo clippy", "rspec", "rake test", "mix test", "ctest",
		"gradlew test", "gradle test", "mvn test", "mvn verify", "dotnet test", "swift test", "bazel test",
	}},
	{of: "continuous integration", verbs: union(making, checking), names: []string{"ci", "build", "pipeline", "workflow", "lint", "linter", "linting"}},
}

func set(words ...string) map[string]bool {
	made := map[string]bool{}
	for _, word := range words {
		made[word] = true
	}
	return made
}

func union(sets ...map[string]bool) map[string]bool {
	made := map[string]bool{}
	for _, one := range sets {
		for word := range one {
			made[word] = true
		}
	}
	return made
}

// Named returns the types of work that a text names: those it may be a rule for.
func Named(text string) []Type {
	words := split(text)
	var found []Type
	for i := range works {
		if w := &works[i]; w.isNamed(words) {
			found = append(found, w.of)
		}
	}
	return found
}

func (w *work) isNamed(words []string) bool {
	for at := range words {
		if nameAt(w.names, words, at) || nameAt(w.rules, words, at) {
			return true
		}
	}
	return false
}

const (
	// read is the number of words of a prompt that are looked at: a request opens a
	// prompt, and the rest is material.
	read = 60
	// reach is the number of words between a verb and the name of its object.
	reach = 8
)

// Asked returns the types of work that a prompt asks for, or asks the rules of: "add a
// test for it" and "how do we name tests?" ask for tests, "are there tests?" for none.
func Asked(prompt string) []Type {
	words := split(prompt)
	words = words[:min(len(words), read)]
	asked := map[Type]bool{}
	for len(words) > 0 {
		end := 0
		for end < len(words) && !ends[words[end]] {
			end++
		}
		clause := words[:end]
		for i := range works {
			switch w := &works[i]; {
			case !asksBack(clause):
				asked[w.of] = asked[w.of] || w.isAsked(clause)
			case asksForRule(clause):
				asked[w.of] = asked[w.of] || w.isNamed(clause)
			}
		}
		words = words[min(end+1, len(words)):]
	}
	var found []Type
	for i := range works {
		if asked[works[i].of] {
			found = append(found, works[i].of)
		}
	}
	return found
}

// asksBack says whether a clause asks for an answer, not for work.
func asksBack(clause []string) bool {
	if len(clause) == 0 {
		return true
	}
	switch clause[0] {
	case "are", "is", "was", "were", "did", "does", "do", "has", "have", "why", "what", "how", "when", "where", "which", "who", "should", "must", "may":
		return true
	}
	return false
}

// asksForRule says whether a question asks how something is to be done, not how it is.
func asksForRule(clause []string) bool {
	for i, word := range clause {
		switch word {
		case "should", "must", "rule", "rules", "convention", "conventions", "policy", "allowed":
			return true
		case "we", "i":
			if i > 0 && clause[i-1] == "do" && (i == 1 || clause[i-2] == "how" || clause[i-2] == "what" || clause[i-2] == "where") {
				return true
			}
		}
	}
	return false
}

func (w *work) isAsked(clause []string) bool {
	for i, word := range clause {
		if w.alone[word] && isRequest(clause, i) && !isDenied(clause[:i]) {
			return true
		}
		if !w.verbs[word] || isDenied(clause[:i]) {
			continue
		}
		for at := i + 1; at < len(clause) && at <= i+1+reach && !joins[clause[at]]; at++ {
			if nameAt(w.names, clause, at) || nameAt(w.asked, clause, at) {
				return true
			}
		}
	}
	return false
}

// isRequest says whether a verb stands where a request has it: at the start of a clause or
// after a word that leads to one, before its object or the end.
func isRequest(clause []string, at int) bool {
	return (at == 0 || leads[clause[at-1]]) && (at+1 == len(clause) || objects[clause[at+1]])
}

// denies is the number of words before a verb in which a word denies it.
const denies = 3

// isDenied says whether the words before a verb deny it ("no need to write", "should not run") or only permit it ("it's
// fine to run").
func isDenied(before []string) bool {
	if n := len(before); n > 1 && before[n-1] == "to" && permits[before[n-2]] {
		return true
	}
	for i := len(before) - 1; i >= max(0, len(before)-denies) && !joins[before[i]]; i-- {
		if denials[before[i]] {
			return true
		}
	}
	return false
}

var (
	permits = set("fine", "ok", "okay", "safe", "enough", "allowed")
	denials = set("no", "not", "dont", "never", "neednt", "shouldnt", "mustnt")
	leads   = language.Set(language.Yes + "please you and then lets now just also to ,")
	objects = set("it", "this", "that", "them", "the", "these", "those", "all", "everything", "and", "now", "with", "my", "our", "how", "what", ",")
)

// nameAt says whether one of the names stands at a place.
func nameAt(names, words []string, at int) bool {
	for _, name := range names {
		rest := words[at:]
		matches := true
		for part := range strings.SplitSeq(name, " ") {
			if len(rest) == 0 || rest[0] != part {
				matches = false
				break
			}
			rest = rest[1:]
		}
		if matches {
			return true
		}
	}
	return false
}

// ends are the marks that split makes of the ends of clauses.
var ends = set(".", "?", "!", ";", ":", "\n")

// joins are words that open another clause, in which a name is not the verb's object.
var joins = set("if", "whether", "that", "which", "because", "since", "so", "when", "while", "how", "why", "what", "until", "but", ",")

// splitter keeps the marks that end clauses, and names of files whole.
var splitter = language.Splitter{Joints: "-.", Marks: ".?!;:,\n"}

// split makes lower-case words of a prompt or rule, with the marks that end a clause and
// commas. Release notes are a changelog.
func split(said string) []string {
	words := splitter.List(said)
	for i := 1; i < len(words); i++ {
		if words[i-1] == "release" && (words[i] == "notes" || words[i] == "note") { // they are no release
			words[i-1], words[i] = "the", "changelog"
		}
	}
	return words
}
