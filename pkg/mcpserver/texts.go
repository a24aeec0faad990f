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
	value, isJSON := decoded(given)
	if text, isText := value.(string); isText && text != "" { // all arguments in one string
		given = json.RawMessage(text)
		value, isJSON = decoded(given)
	}
	members, isObject := value.(map[string]any)
	switch {
	case len(bytes.TrimSpace(given)) == 0, isJSON && value == nil:
		return json.RawMessage("{}")
	case !isObject:
		return given
	}
	for name, member := range members {
		if members[name] = argument(member, schema.Properties[name]); members[name] == nil {
			delete(members, name)
		}
	}
	read, err := json.Marshal(members)
	if err != nil {
		return given
	}
	return read
}

// decoded returns the value of a JSON text, with numbers as they are written, and whether it is one value.
func decoded(text []byte) (value any, isJSON bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	isJSON = json.Valid(text) && decoder.Decode(&value) == nil
	return value, isJSON
}

// argument returns an argument, or a member of one, in the type of its schema; nil if it is not given.
func argument(value any, schema *jsonschema.Schema) any {
	kind := kindOf(schema)
	text, isText := value.(string)
	switch {
	case kind == "string":
		return textOf(value)
	case kind == "array" && !isText:
		if digits, isDigits := textOf(value).(string); isDigits {
			value = []any{digits}
		}
	case isText && kind != "":
		inside := strings.TrimSpace(text)
		if kind == "boolean" {
			inside = strings.ToLower(inside)
		}
		one, _ := decoded([]byte(inside))
		switch {
		case inside == "" || inside == "null" || inside == "None":
			return nil
		case isA(one, kind):
			value = one
		case kind == "array" && inside[0] != '[' && inside[0] != '{': // a list may be given as its only member
			value = []any{text}
		}
	}
	if number, isNumber := value.(json.Number); isNumber && kind == "integer" {
		if n, err := number.Float64(); err == nil && n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			return int64(n)
		}
	}
	list, isList := value.([]any)
	if !isList || kind != "array" {
		return value
	}
	members := []any{}
	for _, one := range list {
		if one = argument(one, schema.Items); one != nil {
			members = append(members, one)
		}
	}
	return members
}

// textOf returns a whole number as the string that was meant, because the first six or more digits of an ID may all be
// decimal. Another value stays.
func textOf(value any) any {
	number, _ := value.(json.Number)
	if _, err := strconv.ParseUint(number.String(), 10, 64); err != nil || len(number) < 6 {
		return value
	}
	return number.String()
}

// isA reports whether a decoded value has the type of a schema other than string.
func isA(value any, kind string) bool {
	switch value.(type) {
	case json.Number:
		return kind == "integer" || kind == "number"
	case bool:
		return kind == "boolean"
	case []any:
		return kind == "array"
	}
	return false
}

// kindOf returns the type of a schema other than null, or "" if it may be any.
func kindOf(schema *jsonschema.Schema) string {
	if schema == nil {
		return ""
	}
	for _, kind := range slices.Concat(schema.Types, []string{schema.Type}) {
		if kind != "null" {
			return kind
		}
	}
	return ""
}
