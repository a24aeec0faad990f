package hookio

import (
	"encoding/json"
	"fmt"
	"io"
)

// MaxContextChars is the most UTF-16 code units (JavaScript's characters) that the client accepts in one output text.
// It saves a longer text to a file and shows the model only the file's path and the first 2 KB.
const MaxContextChars = 10_000

// Output is the answer of a hook. The zero Output has no effect.
type Output struct {
	// HookEventName must be the event that fired, or the client drops the answer. It is written with AdditionalContext or Permission.
	HookEventName string

	// AdditionalContext is text for the model. On Stop it forces another turn.
	AdditionalContext string

	// Permission is "allow" on a PermissionRequest. On PreToolUse "deny" refuses the tool call, and "ask" makes the client ask
	// the user, even about a call that the user's permissions allow. Reason is shown to the model or the user.
	Permission, Reason string

	// SystemMessage is text for the user, which the model does not see.
	SystemMessage string
}

// Context returns an output with text for the model, or the zero Output if text is empty.
func Context(event, text string) Output {
	if text == "" {
		return Output{}
	}
	return Output{HookEventName: event, AdditionalContext: text}
}

// Allow returns the output that grants a PermissionRequest.
func Allow() Output { return Output{HookEventName: PermissionRequest, Permission: "allow"} }

// Deny returns the output that refuses a PreToolUse, with a reason for the model.
func Deny(reason string) Output {
	return Output{HookEventName: PreToolUse, Permission: "deny", Reason: reason}
}

// Ask returns the output that makes the client ask the user about a PreToolUse, in every permission mode.
func Ask(reason string) Output {
	return Output{HookEventName: PreToolUse, Permission: "ask", Reason: reason}
}

// Encode writes o as one line of JSON, in one Write, so that the client never reads half of it. It writes nothing if o is zero.
// Invalid UTF-8 becomes U+FFFD. A text over [MaxContextChars] is cut, because the client would show only a preview of it.
func (o Output) Encode(w io.Writer) error {
	if o == (Output{}) {
		return nil
	}
	text := func(s string) string { return cutUTF16(s, MaxContextChars) }
	line := answer{SystemMessage: text(o.SystemMessage)}
	if o.AdditionalContext != "" || o.Permission != "" {
		line.Specific = &specific{Event: o.HookEventName, Context: text(o.AdditionalContext), Permission: o.Permission, Why: text(o.Reason)}
		if o.HookEventName == PermissionRequest {
			line.Specific.Permission, line.Specific.Decision = "", &decision{o.Permission}
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}

// answer is the client's JSON format of an Output.
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

// cutUTF16 returns the longest prefix of s with at most limit UTF-16 code units, without splitting a character.
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
