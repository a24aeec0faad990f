package mcpserver

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Models and clients may write an argument as a JSON string ("5", "[\"a\"]"), and a missing argument as null. The
// schema decides how an argument is read. If it cannot be read, it stays as it is, and is refused because of its type.

// argumentsOf returns the arguments of a call in the types of their schema.
func argumentsOf(given json.RawMessage, schema *jsonschema.Schema) json.RawMessage {
	var inText string
	if json.Unmarshal(given, &inText) == nil && inText != "" { // all arguments in one string
		given = json.RawMessage(inText)
	}
	if given = bytes.TrimSpace(given); len(given) == 0 || string(given) == "null" {
		return json.RawMessage("{}")
	}
	var members map[string]json.RawMessage
	if schema == nil || json.Unmarshal(given, &members) != nil {
		return given
	}
	for name, value := range members {
		property := schema.Properties[name]
		if property == nil && string(value) != "null" {
			continue
		}
		read, isGiven := argument(value, property)
		if members[name] = read; !isGiven {
			delete(members, name)
		}
	}
	read, err := json.Marshal(members)
	if err != nil {
		return given
	}
	return read
}

// argument returns one argument in the type of its schema, and whether it is given.
func argument(value json.RawMessage, schema *jsonschema.Schema) (json.RawMessage, bool) {
	value = bytes.TrimSpace(value)
	if string(value) == "null" {
		return nil, false
	}
	kind := kindOf(schema)
	if kind == "string" {
		return textOf(value), true
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		inside := json.RawMessage(strings.TrimSpace(text))
		switch {
		case len(inside) == 0 || string(inside) == "null" || string(inside) == "None":
			return nil, false
		case kind == "boolean":
			inside = bytes.ToLower(inside)
		}
		if kind == "array" && inside[0] != '[' && inside[0] != '{' { // a list may be given as its only member
			inside = slices.Concat([]byte("["), value, []byte("]"))
		}
		if !isA(inside, kind) {
			return value, true
		}
		value = inside
	} else if one := textOf(value); kind == "array" && isA(one, "string") {
		value = slices.Concat([]byte("["), one, []byte("]"))
	}
	switch kind {
	case "integer":
		if n, err := strconv.ParseFloat(string(value), 64); err == nil && n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			return strconv.AppendInt(nil, int64(n), 10), true
		}
	case "array":
		return elements(value, schema.Items), true
	}
	return value, true
}

// elements returns a list with its members in the types of their schema.
func elements(list json.RawMessage, schema *jsonschema.Schema) json.RawMessage {
	var all []json.RawMessage
	var read [][]byte
	if json.Unmarshal(list, &all) != nil {
		return list
	}
	for _, one := range all {
		if value, isGiven := argument(one, schema); isGiven {
			read = append(read, value)
		}
	}
	joined := append([]byte("["), bytes.Join(read, []byte(","))...)
	return append(joined, ']')
}

// textOf returns a value for an argument that is a string. It also converts a whole number, because the first six or
// more digits of an ID may all be decimal.
func textOf(value json.RawMessage) json.RawMessage {
	if _, err := strconv.ParseUint(string(value), 10, 64); err != nil || len(value) < 6 {
		return value
	}
	return slices.Concat([]byte(`"`), value, []byte(`"`))
}

// isA reports whether a JSON text has the type of a schema.
func isA(text json.RawMessage, kind string) bool {
	var value any
	if json.Unmarshal(text, &value) != nil {
		return false
	}
	is := false
	switch kind {
	case "string":
		_, is = value.(string)
	case "integer", "number":
		_, is = value.(float64)
	case "boolean":
		_, is = value.(bool)
	case "array":
		_, is = value.([]any)
	case "object":
		_, is = value.(map[string]any)
	}
	return is
}

// kindOf returns the type of a schema other than null, or "" if it may be any.
func kindOf(schema *jsonschema.Schema) string {
	if schema == nil {
		return ""
	}
	if schema.Type != "" {
		return schema.Type
	}
	for _, kind := range schema.Types {
		if kind != "null" {
			return kind
		}
	}
	return ""
}
