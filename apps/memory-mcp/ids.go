package main

import (
	"bytes"
	"encoding/json"
	"strings"
)

// cancelledMethod is the notification by which a client cancels a request.
const cancelledMethod = "notifications/cancelled"

// idPrefix begins the text that stands for an id while the library has the message. The library parses ids as
// float64, which would change fractions and numbers from 2^53 on.
const idPrefix = "id as sent: "

// wrapped returns a request whose ids the library does not change: its own id, and the id of the request that it
// cancels.
func wrapped(line []byte) []byte {
	var message, params map[string]json.RawMessage
	if json.Unmarshal(line, &message) != nil || message["method"] == nil {
		return line
	}
	wrap(message, "id")
	if string(message["method"]) == `"`+cancelledMethod+`"` && json.Unmarshal(message["params"], &params) == nil {
		wrap(params, "requestId")
		message["params"] = encoded(params)
	}
	return encoded(message)
}

// wrap replaces an id that is a number or a text.
func wrap(message map[string]json.RawMessage, field string) {
	if id := bytes.TrimSpace(message[field]); len(id) > 0 && !bytes.ContainsAny(id[:1], "{[tfn") {
		message[field] = encoded(idPrefix + string(id))
	}
}

// unwrapped returns an answer with the id as the client sent it.
func unwrapped(line []byte) []byte {
	var message map[string]json.RawMessage
	var text string
	if !bytes.Contains(line, []byte(idPrefix)) || json.Unmarshal(line, &message) != nil || json.Unmarshal(message["id"], &text) != nil {
		return line
	}
	id, isOurs := strings.CutPrefix(text, idPrefix)
	if !isOurs {
		return line
	}
	message["id"] = json.RawMessage(id)
	return append(encoded(message), '\n')
}

// encoded returns the JSON of a value. The value must be text or JSON, which cannot fail.
func encoded(value any) []byte {
	text, _ := json.Marshal(value)
	return text
}
