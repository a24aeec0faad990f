package mcpserver

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"
)

// Models and clients may write an argument as a JSON string ("5", "[\"a\"]"), a list of one member as the member
// alone, and a missing argument as null. The schema decides how an argument is read. If it cannot be read, it stays
// as it is, and is refused because of its type.

// ArgumentsOf returns the arguments of a call in the types of their schema.
func ArgumentsOf(given json.RawMessage, schema *jsonschema.Schema) json.RawMessage {
	members := map[string]any{}
	if len(given) > 0 && json.Unmarshal(given, &members) != nil {
		return given
	}
	read := map[string]any{}
	for name, member := range members {
		if member = argument(member, schema.Properties[name]); member != nil {
			read[name] = member
		}
	}
	text, _ := json.Marshal(read) // what was JSON before is JSON again
	return text
}

// leastID and mostID limit the numbers that are read as the beginning of an ID without letters.
const leastID, mostID = 1e5, 1e15

// argument returns an argument, or a member of an argument, in the type of its schema; nil if it is not given.
func argument(value any, schema *jsonschema.Schema) any {
	if schema == nil || value == nil {
		return value
	}
	text, isText := value.(string)
	if number, isNumber := value.(float64); schema.Type == "string" && isNumber && number >= leastID && number < mostID && number == math.Trunc(number) {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	isList := schema.Type == "array"
	if isText && schema.Type != "string" {
		var inside any
		err := json.Unmarshal([]byte(text), &inside)
		if _, isListInside := inside.([]any); err == nil && isListInside == isList || text == "" || text == "null" {
			value = inside
		}
	}
	if !isList || value == nil {
		return value
	}
	list, isMany := value.([]any)
	if !isMany {
		list = []any{value}
	}
	members := []any{}
	for _, one := range list {
		if one = argument(one, schema.Items); one != nil {
			members = append(members, one)
		}
	}
	return members
}
