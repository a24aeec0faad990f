package knowledge

// The ways in which a sentence with the words of a rule may not be meant as one.
const (
	momentary   = "momentary"   // it holds for the work at hand: "don't run the tests now"
	expectation = "expectation" // it names a result to be seen next: "the test should pass now"
	supposed    = "supposed"    // it is not so: "suppose we never cached anything"
	tentative   = "tentative"   // its speaker is not sure: "maybe we should use postgres"
	embedded    = "embedded"    // it asks: "tell me why we always reload the config"
	task        = "task"        // it asks for work: "I'd like you to write a test"
	pointing    = "pointing"    // it is about one thing at hand: "I want the button to be blue"
)

// The rules for short prompts that are understood by the assistant's words before.
const (
	// RuleReply finds those that only state something.
	RuleReply = "reply"
	// RuleAnswer finds answers to a question about the project, rather than about how to
	// go on.
	RuleAnswer = "answer"
)

// The names of the rules that are not lists of phrases.
const (
	// RuleAsked finds the text after a marker such as "Remember:".
	RuleAsked = "asked"
	// RuleCommand finds how the project is built and checked.
	RuleCommand = "command"
	// RuleHeading finds the text under a heading such as "Root cause".
	RuleHeading = "heading"
	// RuleQuestion finds the assistant's question at the end of its last words.
	RuleQuestion = "open question"
	// RuleFinding finds the first sentence about a file in a subagent's report.
	RuleFinding = "finding"
)

// The statements of these rules hold for good, whatever the occasion of the sentence.
const (
	ruleStanding = "standing"
	ruleChange   = "change"
)
