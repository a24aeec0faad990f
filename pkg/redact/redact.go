// Package redact removes the parts of a text that must not be remembered: text that
// the user marked private, text that the client or this product inserted, and secrets
// that a fast rule recognises.
//
// It works on text alone, in time linear in its length, and links nothing but
// a few string functions, because every hook runs it before anything reaches
// the disk. It is not a complete secret scanner: the slower second pass is
// package redact/deep. It logs nothing and keeps nothing of what it removed.
package redact

import "strings"

// Tag is the element that wraps what this product injects into a session. Text
// removes it, so that recalled memories are never captured as new ones, and
// EscapeTag keeps remembered text from closing or opening it.
const Tag = "surrealdb-memory"

// Kinds of what Text removes or replaces. The first three are elements that
// are removed; of the others each place is replaced by "[redacted:KIND]".
const (
	Injected       = Tag
	SystemReminder = "system-reminder"
	Private        = "private"

	AnthropicKey  = "anthropic-key"
	OpenAIKey     = "openai-key"
	GitHubToken   = "github-token"
	GitLabToken   = "gitlab-token"
	AWSKey        = "aws-key"
	GoogleKey     = "google-key"
	SlackToken    = "slack-token"
	StripeKey     = "stripe-key"
	NPMToken      = "npm-token"
	JWT           = "jwt"
	PrivateKey    = "private-key"
	URLPassword   = "url-password"
	Authorization = "authorization"
	Password      = "password"
	Secret        = "secret"
	Token         = "token"
	APIKey        = "api-key"
	AccessKey     = "access-key"
	CardNumber    = "card-number"
	AccountNumber = "account-number"
	Cookie        = "cookie"
	Webhook       = "webhook"
)

// Finding is how often one kind was removed.
type Finding struct {
	Kind  string
	Count int
}

// Report says what Text found; it never holds any of the text itself.
type Report struct {
	// Found lists each kind once, in order of first appearance. Nested elements
	// count once.
	Found []Finding

	// Empty says that nothing but white space is left: a wholly private prompt
	// should leave no trace at all.
	Empty bool
}

func (r *Report) add(kind string) {
	for i := range r.Found {
		if r.Found[i].Kind == kind {
			r.Found[i].Count++
			return
		}
	}
	r.Found = append(r.Found, Finding{Kind: kind, Count: 1})
}

// maxPasses bounds the passes of Text over a text that it changed. The second pass
// finds what a replaced secret had hidden; clean text takes one pass.
const maxPasses = 8

// Text returns s without private, injected and client-made elements and with
// secrets replaced. What is left of s is unchanged, but for one space where a
// removed element stood between two words. Text(Text(s)) is Text(s), and the
// result holds no opening tag of the three elements.
//
// Elements are matched without regard to case and attributes. They hide up to
// their own closing tag, and up to the end of s when that is missing. After the
// mark of a cut ("…[9 bytes cut]…") a closing tag alone hides back to the mark.
func Text(s string) (string, Report) {
	var report Report
	for range maxPasses {
		before := s
		s = withoutSecrets(withoutElements(s, &report), &report)
		if s == before {
			break
		}
	}
	report.Empty = strings.TrimSpace(s) == ""
	return s, report
}

// Clean is Text without the report.
func Clean(s string) string {
	s, _ = Text(s)
	return s
}

// Add adds the findings of another pass over the same text. Empty is taken from the
// later pass.
func (r *Report) Add(later Report) {
	for _, f := range later.Found {
		for range f.Count {
			r.add(f.Kind)
		}
	}
	r.Empty = later.Empty
}

// Replace puts "[redacted:KIND]" in each place of a secret that another scanner than
// Text has found, unless the text is a placeholder of a secret. The kind is
// of small letters, digits and "-".
func Replace(s, secret, kind string, report *Report) string {
	if len(secret) < 4 || strings.Contains(secret, markerStart) || isPlaceholder(window(secret, decisionWindow)) {
		return s
	}
	n := strings.Count(s, secret)
	for range n {
		report.add(kind)
	}
	return strings.ReplaceAll(s, secret, markerStart+kind+"]")
}
