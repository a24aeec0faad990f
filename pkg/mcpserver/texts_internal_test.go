package mcpserver

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

// Models send arguments as the text of their JSON, and null for none; unreadable ones are
// refused.
func TestArgumentsAreReadByTheirSchema(t *testing.T) {
	schemas := map[string]*jsonschema.Schema{
		"store_memory": schemaOf[storeInput](t), "recall_memories": schemaOf[recallInput](t), "search_memories": schemaOf[searchInput](t),
		"get_memories": schemaOf[getInput](t), "list_memories": schemaOf[listInput](t),
	}
	for name, test := range map[string]struct{ tool, given, want string }{
		"a list":             {"store_memory", `{"content": "c", "tags": "[\"docker\", \"base\"]"}`, `{"content": "c", "tags": ["docker", "base"]}`},
		"null":               {"store_memory", `{"content": "c", "tags": null, "kind": null, "other": null}`, `{"content": "c"}`},
		"null in a list":     {"store_memory", `{"content": "c", "tags": ["a", null]}`, `{"content": "c", "tags": ["a"]}`},
		"numbers and flags":  {"search_memories", `{"query": "5", "limit": "50", "archived": "true"}`, `{"query": "5", "limit": 50, "archived": true}`},
		"a flag in capitals": {"search_memories", `{"query": "q", "archived": "False"}`, `{"query": "q", "archived": false}`},
		"a whole fraction":   {"search_memories", `{"query": "q", "limit": 5.0}`, `{"query": "q", "limit": 5}`},
		"one in a text":      {"search_memories", `{"query": "q", "limit": " 5.0 "}`, `{"query": "q", "limit": 5}`},
		"null in a text":     {"search_memories", `{"query": "q", "limit": "null", "kinds": ""}`, `{"query": "q"}`},
		"no whole number":    {"search_memories", `{"query": "q", "limit": 5.5}`, `{"query": "q", "limit": 5.5}`},
		"words":              {"search_memories", `{"query": "q", "limit": "five", "kinds": "note", "archived": "perhaps"}`, `{"query": "q", "limit": "five", "kinds": ["note"], "archived": "perhaps"}`},
		"one for a list":     {"get_memories", `{"ids": "abcdef"}`, `{"ids": ["abcdef"]}`},
		"one as shown":       {"store_memory", `{"content": "c", "tags": "two words", "files": "a,b.go", "cues": "run\nit"}`, `{"content": "c", "tags": ["two words"], "files": ["a,b.go"], "cues": ["run\nit"]}`},
		"one id of digits":   {"get_memories", `{"ids": 123456}`, `{"ids": ["123456"]}`},
		"another type":       {"search_memories", `{"query": "q", "limit": "[5]", "kinds": "{}", "archived": "1"}`, `{"query": "q", "limit": "[5]", "kinds": "{}", "archived": "1"}`},
		"an id of digits":    {"get_memories", `{"ids": [123456, "abcdef"]}`, `{"ids": ["123456", "abcdef"]}`},
		"a text of JSON":     {"store_memory", `{"content": "[1, 2]"}`, `{"content": "[1, 2]"}`},
		"as a whole":         {"search_memories", `"{\"query\": \"q\", \"limit\": \"5\"}"`, `{"query": "q", "limit": 5}`},
		"nothing":            {"list_memories", `null`, `{}`},
		"an empty text":      {"list_memories", `""`, `""`},
		"unknown":            {"search_memories", `{"query": "q", "most": "5"}`, `{"query": "q", "most": "5"}`},
	} {
		var got, want any
		if err := json.Unmarshal(argumentsOf(json.RawMessage(test.given), schemas[test.tool]), &got); err != nil {
			t.Fatal(name, err)
		}
		if err := json.Unmarshal([]byte(test.want), &want); err != nil {
			t.Fatal(name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func schemaOf[In any](t *testing.T) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
