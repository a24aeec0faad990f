package mcpserver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// faultOf describes the first argument that violates the schema, in words that a model can act on, or returns "". The
// SDK's own errors use the terms of JSON schema.
func faultOf(tool string, given json.RawMessage, schema *jsonschema.Schema) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(given, &members) != nil {
		return tool + " needs its arguments as one JSON object"
	}
	if unknown := unknownArguments(tool, members, schema); unknown != "" {
		return unknown
	}
	for _, name := range schema.Required {
		if _, isGiven := members[name]; !isGiven {
			return fmt.Sprintf("%s needs the argument %q: %s", tool, name, schema.Properties[name].Description)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if fault := valueFault(members[name], schema.Properties[name]); fault != "" {
			return fmt.Sprintf("%s %s", name, fault)
		}
	}
	return ""
}

// kindNames are the types of arguments in words.
var kindNames = map[string]string{
	"string": "a text", "integer": "a whole number", "number": "a number", "boolean": "true or false",
	"array": "a list", "object": "an object",
}

// valueFault returns the end of a sentence about a value that violates its schema, or "".
func valueFault(value json.RawMessage, schema *jsonschema.Schema) string {
	kind := kindOf(schema)
	if kind != "" && !isA(value, kind) {
		return fmt.Sprintf("is %s, but must be %s", shown(value), kindNames[kind])
	}
	if fault := choiceFault(value, schema); fault != "" {
		return fault
	}
	switch kind {
	case "integer", "number":
		return rangeFault(value, schema)
	case "array":
		return listFault(value, schema)
	}
	return ""
}

func choiceFault(value json.RawMessage, schema *jsonschema.Schema) string {
	var text string
	if len(schema.Enum) == 0 || json.Unmarshal(value, &text) != nil || slices.Contains(schema.Enum, any(text)) {
		return ""
	}
	var names []string
	for _, one := range schema.Enum {
		names = append(names, fmt.Sprint(one))
	}
	return fmt.Sprintf("is %s, but must be one of %s", shown(value), strings.Join(names, ", "))
}

func rangeFault(value json.RawMessage, schema *jsonschema.Schema) string {
	n, err := strconv.ParseFloat(string(value), 64)
	tooSmall := err == nil && schema.Minimum != nil && n < *schema.Minimum
	tooLarge := err == nil && schema.Maximum != nil && n > *schema.Maximum
	switch {
	case schema.Type == "integer" && strings.ContainsAny(string(value), ".eE"):
		return fmt.Sprintf("is %s, but must be a whole number", shown(value))
	case tooSmall || tooLarge:
		return fmt.Sprintf("is %s, but must be from %v to %v", shown(value), *schema.Minimum, *schema.Maximum)
	}
	return ""
}

func listFault(value json.RawMessage, schema *jsonschema.Schema) string {
	var items []json.RawMessage
	_ = json.Unmarshal(value, &items) // valueFault has checked that it is a list
	switch {
	case schema.MaxItems != nil && len(items) > *schema.MaxItems:
		return fmt.Sprintf("has %d members, at most %d are allowed", len(items), *schema.MaxItems)
	case schema.MinItems != nil && len(items) < *schema.MinItems:
		return fmt.Sprintf("has %d members, at least %d are needed", len(items), *schema.MinItems)
	}
	for at, item := range items {
		if fault := valueFault(item, schema.Items); fault != "" {
			return fmt.Sprintf("has an invalid member: number %d %s", at+1, fault)
		}
	}
	return ""
}

// mostShown is the maximum number of bytes of a wrong value in an error.
const mostShown = 60

// shown returns a value for an error, on one line and without harmful characters.
func shown(value json.RawMessage) string { return memory.Cut(harmless(string(value)), mostShown) }

// unknownArguments returns an error about arguments that the tool does not have, with the arguments that it has, or "".
func unknownArguments(tool string, given map[string]json.RawMessage, schema *jsonschema.Schema) string {
	names := slices.Sorted(maps.Keys(given))
	wrong := slices.IndexFunc(names, func(name string) bool { return schema.Properties[name] == nil })
	if wrong < 0 {
		return ""
	}
	var has []string
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if slices.Contains(schema.Required, name) {
			name += " (required)"
		}
		has = append(has, name)
	}
	return fmt.Sprintf("%s has no argument %q. It has %s.", tool, harmless(names[wrong]), cmp.Or(strings.Join(has, ", "), "none"))
}
