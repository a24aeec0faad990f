package mcpserver_test

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/mcpserver"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// Models send arguments as the text of their JSON, and null for none; unreadable ones are refused.
func TestArgumentsAreReadByTheirSchema(t *testing.T) {
	schemas := map[string]*jsonschema.Schema{}
	for _, tool := range musttest.Get(newWorld(t, nil).client.ListTools(t.Context(), nil))(t).Tools {
		var schema jsonschema.Schema
		musttest.Do(t, json.Unmarshal(musttest.Get(json.Marshal(tool.InputSchema))(t), &schema))
		schemas[tool.Name] = &schema
	}
	for name, test := range map[string]struct{ tool, given, want string }{
		"a list":            {"store_memory", `{"content": "c", "tags": "[\"docker\", \"base\"]"}`, `{"content": "c", "tags": ["docker", "base"]}`},
		"null":              {"store_memory", `{"content": "c", "tags": null, "kind": null, "other": null}`, `{"content": "c"}`},
		"null in a list":    {"store_memory", `{"content": "c", "tags": ["a", null]}`, `{"content": "c", "tags": ["a"]}`},
		"numbers and flags": {"search_memories", `{"query": "5", "limit": "50", "archived": "true"}`, `{"query": "5", "limit": 50, "archived": true}`},
		"a whole fraction":  {"search_memories", `{"query": "q", "limit": 5.0}`, `{"query": "q", "limit": 5}`},
		"one in a text":     {"search_memories", `{"query": "q", "limit": " 5.0 "}`, `{"query": "q", "limit": 5}`},
		"null in a text":    {"search_memories", `{"query": "q", "limit": "null", "kinds": ""}`, `{"query": "q"}`},
		"no whole number":   {"search_memories", `{"query": "q", "limit": 5.5}`, `{"query": "q", "limit": 5.5}`},
		"words":             {"search_memories", `{"query": "q", "limit": "five", "kinds": "note", "archived": "perhaps"}`, `{"query": "q", "limit": "five", "kinds": ["note"], "archived": "perhaps"}`},
		"one for a list":    {"get_memories", `{"ids": "abcdef"}`, `{"ids": ["abcdef"]}`},
		"one as shown":      {"store_memory", `{"content": "c", "tags": "two words", "files": "a,b.go", "cues": "run\nit"}`, `{"content": "c", "tags": ["two words"], "files": ["a,b.go"], "cues": ["run\nit"]}`},
		"one id of digits":  {"get_memories", `{"ids": 123456}`, `{"ids": ["123456"]}`},
		"another type":      {"search_memories", `{"query": "q", "limit": "[5]", "kinds": {}, "archived": "yes"}`, `{"query": "q", "limit": "[5]", "kinds": [{}], "archived": "yes"}`},
		"an id of digits":   {"get_memories", `{"ids": [123456, "abcdef"]}`, `{"ids": ["123456", "abcdef"]}`},
		"a text of JSON":    {"store_memory", `{"content": "[1, 2]"}`, `{"content": "[1, 2]"}`},
		"nothing":           {"list_memories", `null`, `{}`},
		"unknown":           {"search_memories", `{"query": "q", "most": "5"}`, `{"query": "q", "most": "5"}`},
	} {
		var got, want any
		if err := json.Unmarshal(mcpserver.ArgumentsOf(json.RawMessage(test.given), schemas[test.tool]), &got); err != nil {
			t.Fatal(name, err)
		}
		if err := json.Unmarshal([]byte(test.want), &want); err != nil {
			t.Fatal(name, err)
		}
		musttest.Same(t, want, got, "%s (-want +got)", name)
	}
}
