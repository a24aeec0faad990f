package knowledge

import (
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

var assistantRules = []rule{
	{"root cause", memory.KindDiscovery, 0.55, []string{
		"root cause", "the cause", "the actual issue", "the real issue", "the actual problem", "the real problem", "the underlying", "turns out", "misdiagnosis", "was a bug", "the culprit",
	}},
	{"cause", memory.KindDiscovery, 0.35, []string{
		"because", "caused by", "the reason", "thats why", "this is why", "which is why", "resolves to", "the problem was", "the issue was", "the bug was", "since the", "due to", "stems from", "comes from", "so that",
	}},
	{"limit", memory.KindNote, 0.55, []string{
		"doesnt support", "does not support", "not supported", "isnt supported", "not possible", "no way to", "limitation", "only valid", "only works", "only work", "doesnt provide", "does not provide", "not allowed", "cannot be", "cant be",
	}},
	{"constraint", memory.KindNote, 0.35, []string{
		"only", "must", "cannot", "cant", "never", "always", "required", "requires", "doesnt", "isnt", "arent", "does not", "is not", "not supported", "not possible", "no way to", "limitation", "wont", "not allowed", "has to", "needs to", "by default", "depends on", "regardless of", "unless", "until",
	}},
	{"decided", memory.KindDecision, 0.55, []string{
		"key decision", "we decided", "decided to", "decision :", "design decision", "design choice", "by design", "intentional", "intentionally", "on purpose", "deliberately", "convention is", "source of truth",
	}},
	{"kept", memory.KindDecision, 0.35, []string{
		"decision", "convention", "preserved", "kept", "backward", "backwards", "instead of", "rather than", "in favor of", "in favour of", "no longer", "consistently", "ensures", "to avoid", "to prevent", "trade-off", "tradeoff", "every", "all * now", "now uses", "now use",
	}},
	{"trap", memory.KindDiscovery, 0.55, []string{
		"caveat", "gotcha", "pitfall", "beware", "note that", "note :", "important :", "key insight", "key finding", "the catch", "false positive", "false positives", "pre-existing", "preexisting", "flaky", "race condition", "unexpectedly", "circular", "import cycle", "workaround", "unrelated to", "breaking change", "swallows", "do not use", "dont use", "critical",
	}},
	{"open", memory.KindTodo, 0.35, []string{
		"todo", "follow-up", "follow up", "followup", "worth fixing", "not yet", "still need", "still needs", "remaining", "remains", "out of scope", "deferred", "future work", "next step", "separate pr", "separately", "blocked", "needs a decision", "needs manual", "manually", "known issue", "not addressed", "left as",
	}},
}

// Rules names the rules that find statements and conclusions, for Finder.Without.
func Rules() []string {
	var names []string
	for _, r := range userRules {
		names = append(names, r.name)
	}
	for _, r := range assistantRules {
		names = append(names, r.name)
	}
	return append(names, RuleAsked, RuleReply, RuleAnswer, RuleHeading, RuleQuestion, RuleFinding)
}

// userRules find the user's statements, by words and then by structure. Of rules of equal
// weight the first wins.
var userRules = slices.Concat(wordRules, structureRules())

var wordIndex = newIndex(wordRules)

var wordRules = inOtherLanguages([]rule{
	{ruleStanding, memory.KindConvention, 0.7, []string{
		"from now on", "from here on", "going forward", "in the future", "in future", "for future", "whenever you|we", "every time you", "each time you",
		"we never", "never ever", "^always", "^never", "please always", "please never", "always use", "always run", "you must always", "you must never", "under no circumstances", "as a rule",
		"rule of thumb", "our convention", "our rule", "the rule is", "our policy", "source of truth", "single source", "we always",
	}},
	{"norm", memory.KindConvention, 0.45, []string{
		"should", "shouldnt", "must", "mustnt", "make sure", "ensure", "be sure", "supposed to", "needs to", "need to be", "has to", "have to be", "ought", "always", "never",
		"not allowed", "^dont", "^do not", "please dont", "and dont", "that * dont", "dont want", "to not", "only ever", "only when", "only if", "explicitly", "expected to",
		"is required", "are required", "mandatory", "forbidden", "important that", "important to", "stick to", "please keep", "^use * , not", "it|its|this|that belongs", "no need",
	}},
	{"standard", memory.KindConvention, 0.48, []string{
		"that they|it|we|you|this dont|doesnt|do|does not", "that they|it|we|you|this dont|doesnt|never|only|always|arent|isnt", "so that they|it|we|you dont|doesnt|never|only|always", "not just testing",
	}},
	{"practice", memory.KindConvention, 0.45, []string{
		"we use", "we dont", "we do not", "we already", "we only", "we usually", "we also", "we have to", "we cant", "we cannot", "we should", "we shouldnt",
		"we need to", "we keep", "we run", "we add", "we want", "we dont want", "we still", "we store", "we create", "we call", "we write", "we avoid",
		"in this repo", "in this project", "in our", "this repo", "this project", "this codebase", "by default", "as a default", "our own", "at our", "our team", "our users",
	}},
	{"rejection", memory.KindCorrection, 0.5, []string{
		"^no ,", "^no we", "^no i", "^no this", "^no it", "^no its", "^no that", "^no thats", "^no dont", "^no remove", "^nope", "^nah", "^wrong", "is wrong", "thats wrong", "was wrong",
		"not correct", "incorrect", "isnt correct", "isnt right", "not right", "not true", "isnt true", "not what i", "not how we|i", "i meant", "what i mean", "my point", "^actually", "^stop",
		"on purpose", "intentional", "intentionally", "deliberately", "by design", "i thought", "i would have expected", "i expected", "i would expect", "id expect", "shouldnt be",
		"^revert", "can you revert", "undo", "why did you", "why adding", "you should have", "you shouldnt", "you just", "you forgot", "you missed", "you keep adding|doing|making|using|forgetting|changing|removing|putting|writing|calling|saying|creating|ignoring|breaking",
		"doesnt work", "does not work", "wont work", "misunderstood", "misunderstanding", "not a good", "bad idea", "good idea", "doesnt make sense", "makes no sense", "not make sense",
		"too much", "to much", "overkill", "overengineered", "over-engineered", "i doubt", "feels", "yagni", "not helping", "not useful", "no value", "no real", "bad name", "bad practice", "a bad",
	}},
	{"objection", memory.KindCorrection, 0.3, []string{"^but", "^hmm but", "i doubt", "not sold", "not convinced", "i still", "are not great", "is not great", "isnt great"}},
	{"preference", memory.KindPreference, 0.45, []string{
		"id like", "i would like", "i want", "i prefer", "id prefer", "we prefer", "prefer", "id rather", "i rather", "would rather", "i like", "i dont like", "i dont want", "not a fan", "i hate", "i love",
		"instead of", "better to", "it would be better", "lets not", "i dont think", "i dont need", "i think we", "i think it", "i think its", "i feel", "i wonder if", "i wonder whether", "why not just", "why cant we", "why dont we", "id say", "id go", "id keep", "id use",
		"keep it simple", "not too many", "not to many", "ideally", "maximum", "less verbose", "be brief", "concise", "and not just", "no need",
	}},
	{ruleChange, memory.KindDecision, 0.5, []string{
		"anymore", "any more", "no longer", "now its", "is now", "are now", "its now", "we now", "was removed", "we removed", "i removed", "were removed", "got removed", "renamed", "was renamed", "was moved", "we moved", "has moved",
		"was replaced", "we replaced", "replaced by", "deprecated", "obsolete", "we switched", "switched to", "migrated", "we dropped", "be * now", "i changed", "we changed", "i deleted", "we deleted", "superseded",
	}},
	{"decision", memory.KindDecision, 0.45, []string{
		"we decided", "i decided", "decided to", "decision", "we agreed", "agreed to", "lets decide", "lets also decide", "lets go with", "ill go with", "id go with", "go with", "lets use", "lets keep", "lets only", "lets rename", "lets remove", "lets drop", "lets skip", "lets assume", "lets include", "lets not",
		"need to accept", "is fine", "its fine", "thats fine", "fine to", "is ok to", "its ok to", "good enough", "internal discussion", "the idea is", "idea is", "the goal is", "the plan is",
		"not worth", "out of scope", "we accept", "i chose", "we chose", "we choose", "choosed", "we picked", "completely", "backwards compatibility", "backward compatibility", "keep the", "tradeoff", "trade-off",
	}},
	{RuleCommand, memory.KindConvention, 0.42, []string{
		"mise run", "npm run", "npm test", "npm ci", "pnpm run", "pnpm test", "yarn test", "yarn lint", "yarn build", "make test", "make check", "make lint", "make build", "just test", "just check", "just lint",
		"go test", "go vet", "go generate", "golangci-lint run", "cargo test", "cargo build", "cargo clippy", "cargo fmt", "uv run", "poetry run", "pytest", "tox", "ruff check", "mypy", "bundle exec", "rake", "rails test", "mix test",
		"gradlew", "mvn", "dotnet test", "dotnet build", "docker compose", "task test", "task lint", "bun run", "bun test", "deno task", "bazel test", "bazel build", "tsc",
	}},
	{"scope", memory.KindConvention, 0.4, []string{
		"across the codebase", "across codebase", "across the code base", "across the repo", "across all", "whole codebase", "everywhere", "for all", "for every", "for each", "in all", "consistent", "consistently", "uniform", "uniformly", "same way", "all the other", "like the other", "like the others", "any other",
	}},
	{"reason", memory.KindDecision, 0.3, []string{
		"because", "so that", "since", "thats why", "that is why", "this is why", "the reason", "otherwise", "the risk", "risk", "due to", "given that", "in order to", "to avoid", "to prevent", "which means", "this means", "that means", "in case",
	}},
	{"finding", memory.KindNote, 0.42, []string{"the issue was", "issue was", "the problem was", "the bug was", "the problem is that", "the issue is that", "turns out", "it turned out", "it was because"}},
	{"context", memory.KindNote, 0.25, []string{
		"there is no", "there are no", "theres no", "the issue is", "issue is", "the problem is", "in theory", "in practice", "in general", "in production", "most users", "some users", "users can", "the user can", "users might", "someone", "people",
		"different", "depends on", "same as", "the same", "this is a", "its a", "it is a", "it can be", "can be any", "is only", "are only", "just a", "works with", "works for", "works like",
	}},
	{"unfinished", memory.KindTodo, 0.5, []string{"we|i still have|need|must|should", "we|i must|should still", "still has|needs to be", "tomorrow", "next week|month|sprint we|i|lets", "left to do", "remains to be"}},
	{"todo", memory.KindTodo, 0.4, []string{
		"todo", "follow up", "follow-up", "followup", "later", "for now", "at some point", "next step", "next time", "next release", "before a release", "before we release", "separate pr", "another pr", "separate issue", "eventually", "someday", "still need", "still needs", "remind me", "not now", "open question",
	}},
})
