package hookio

import (
	"encoding/json"
	"fmt"
	"io"
)

// MaxContextChars is how many UTF-16 code units (the characters of JavaScript's client
// accepts in one output text. Longer text is saved to a file and the model sees only its
// path and the first 2 KB.
const MaxContextChars = 10_000

// Output is a hook's answer. The zero Output has no effect.
type Output struct {
	// HookEventName must be the event that fired, or the client drops the whole
	// answer. It is written only together with AdditionalContext, Permission, Denial or Question.
	HookEventName string

	// AdditionalContext is shown to the model. On Stop it forces another turn.
	AdditionalContext string

	// Permission is the behavior of a PermissionRequest decision: "allow".
	Permission string

	// Denial refuses a tool's call, on PreToolUse; the model reads it as the reason.
	Denial string

	// Question has the client ask the user before a tool's call, on PreToolUse, whatever is allowed; it shows the text.
	Question string

	// SystemMessage is shown to the user and not to the model.
	SystemMessage string
}

// Context answers event with text for the model. Empty text gives an empty output.
func Context(event, text string) Output {
	if text == "" {
		return Output{}
	}
	return Output{HookEventName: event, AdditionalContext: text}
}

// Allow grants a PermissionRequest.
func Allow() Output { return Output{HookEventName: PermissionRequest, Permission: "allow"} }

// Deny refuses the call of a PreToolUse, with a reason for the model.
func Deny(reason string) Output { return Output{HookEventName: PreToolUse, Denial: reason} }

// Ask has the client ask the user about the call of a PreToolUse, in every mode, with a reason.
func Ask(reason string) Output { return Output{HookEventName: PreToolUse, Question: reason} }

// IsZero reports whether the hook has no output; printing nothing is then as good as printing {}.
func (o Output) IsZero() bool { return o == Output{} }

// Encode writes o as one line of valid JSON in a single Write. Invalid UTF-8
// becomes U+FFFD, and a text over [MaxContextChars] is cut, because the client
// would otherwise show the model a preview in its place.
func (o Output) Encode(w io.Writer) error {
	text := func(s string) string { return cutUTF16(s, MaxContextChars) }
	line := answer{SystemMessage: text(o.SystemMessage)}
	if o.AdditionalContext != "" || o.Permission != "" || o.Denial != "" || o.Question != "" {
		line.Specific = &specific{Event: o.HookEventName, Context: text(o.AdditionalContext)}
		switch {
		case o.Denial != "":
			line.Specific.Permission, line.Specific.Why = "deny", text(o.Denial)
		case o.Question != "":
			line.Specific.Permission, line.Specific.Why = "ask", text(o.Question)
		}
		if o.Permission != "" {
			line.Specific.Decision = &decision{o.Permission}
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}

// answer is an Output as the client reads it.
type answer struct {
	SystemMessage string    `json:"systemMessage,omitempty"`
	Specific      *specific `json:"hookSpecificOutput,omitempty"`
}

type specific struct {
	Event      string    `json:"hookEventName,omitempty"`
	Context    string    `json:"additionalContext,omitempty"`
	Permission string    `json:"permissionDecision,omitempty"`
	Why        string    `json:"permissionDecisionReason,omitempty"`
	Decision   *decision `json:"decision,omitempty"`
}

type decision struct {
	Behavior string `json:"behavior"`
}

// cutUTF16 returns the longest prefix of s that has at most limit UTF-16 code
// units and splits no character.
func cutUTF16(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n := 0
	for i, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
		if n > limit {
			return s[:i]
		}
	}
	return s
}
