package main

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// cancelledMethod is the notification by which a client cancels a request.
const cancelledMethod = "notifications/cancelled"

// idPrefix begins the text that stands for a numeric id while the library has the message. The library parses ids as
// float64, which would change fractions and numbers from 2^53 on.
const idPrefix = "id as sent: "

// wrapped returns a message whose ids the library does not change: its own id, and the id of the request that it cancels.
func wrapped(line []byte) []byte {
	var message map[string]json.RawMessage
	if json.Unmarshal(line, &message) != nil {
		return line
	}
	isOther := wrap(message, "id")
	var params map[string]json.RawMessage
	if string(message["method"]) == `"`+cancelledMethod+`"` && json.Unmarshal(message["params"], &params) == nil && wrap(params, "requestId") {
		message["params"], isOther = encoded(params), true
	}
	if !isOther {
		return line
	}
	return encoded(message)
}

// wrap replaces an id that the library would change, or that looks like such a replacement, and reports whether it did.
func wrap(message map[string]json.RawMessage, field string) bool {
	id := bytes.TrimSpace(message[field])
	var text string
	number, err := strconv.ParseInt(string(id), 10, 64)
	isExact := err == nil && number > -1<<53 && number < 1<<53 && string(id) != "-0"
	switch {
	case len(id) == 0, isExact, bytes.ContainsAny(id[:1], "{[tfn"):
		return false
	case json.Unmarshal(id, &text) == nil && !strings.HasPrefix(text, idPrefix):
		return false
	}
	message[field] = encoded(idPrefix + string(id))
	return true
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
