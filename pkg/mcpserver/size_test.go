package mcpserver_test

import (
	"encoding/json"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/tokens"
)

// mostLoaded bounds the tokens of the tools that the client loads into every session.
const mostLoaded = 1000

// TestTheLoadedToolsCostFewTokens counts their names, descriptions and schemas as the client sends them to the model.
func TestTheLoadedToolsCostFewTokens(t *testing.T) {
	w := newWorld(t, nil)
	listed := musttest.Get(w.client.ListTools(t.Context(), nil))(t)
	counter := tokens.New()
	loaded, deferred := 0, 0
	for _, tool := range listed.Tools {
		sent := musttest.Get(json.Marshal(map[string]any{"name": "mcp__plugin_surrealdb-memory_memory__" + tool.Name, "description": tool.Description, "input_schema": tool.InputSchema}))(t)
		tokens := counter.Count(string(sent))
		t.Logf("%s: %d tokens, always loaded %v", tool.Name, tokens, tool.Meta["anthropic/alwaysLoad"] == true)
		if tool.Meta["anthropic/alwaysLoad"] == true {
			loaded += tokens
		} else {
			deferred += tokens
		}
	}
	if t.Logf("%d tokens are loaded, %d wait", loaded, deferred); loaded > mostLoaded || loaded == 0 || deferred == 0 {
		t.Errorf("the loaded tools have %d tokens, the most is %d; those that wait have %d", loaded, mostLoaded, deferred)
	}
}
