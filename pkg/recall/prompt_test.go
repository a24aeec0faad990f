package recall

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestSomePromptsNeedNothing(t *testing.T) {
	for text, want := range map[string]bool{
		"/review --pr 12":          true,
		"/deploy":                  true,
		"/review the parser again": false,
		"/etc/hosts has the wrong address, fix it": false,
		"no, revert that":                          true,
		"but the port is taken while it runs":      true,
		"hmm, looking at this, can't we keep it":   true,
		"are there tests for the parser?":          false,
		"can you look at the failing tests":        false,
		"I'd like a page about the parser":         false,
		"for the parser, which port is free?":      false,
	} {
		musttest.Same(t, want, needsNothing(text), "%.60q needs nothing (-want +got)", strings.ReplaceAll(text, "\n", " "))
	}
}

func TestAQuestionAsksForAnAnswer(t *testing.T) {
	for text, want := range map[string]bool{
		"why did we drop the cache?":       true,
		"What's the port of the server?":   true,
		"on which port does it listen?":    true,
		"with this, can you go on?":        false,
		"may I start the suite on my own?": true,
		"can you add a test?":              false,
		"are there tests for the parser?":  false,
		"are we closing the pool twice?":   false,
		"are mocks allowed in tests?":      true,
		"fix the cache":                    false,
		"the cache is stale, right?":       false,
	} {
		musttest.Same(t, want, isQuestion(text), "%q is a question (-want +got)", text)
	}
}
