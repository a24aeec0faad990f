package client_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// input reads a recorded input of the real client; docs/clients.md has its version. Its transcript is the
// recorded one.
func input(t *testing.T, name, event string) hookio.Input {
	t.Helper()
	recorded := filepath.Join("..", "..", "testdata", name)
	text, err := os.ReadFile(filepath.Join(recorded, "hook-input", event+".json"))
	if err != nil {
		t.Fatal(err)
	}
	in, err := hookio.Decode(bytes.NewReader(bytes.ReplaceAll(text, []byte("/home/dev/."+name), []byte(filepath.ToSlash(recorded)))), hookio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// inputs are those of Claude Code for the input of a client's hook.
func inputs(t *testing.T, name string, in hookio.Input) []hookio.Input {
	t.Helper()
	c, known := client.Named(name)
	if !known {
		t.Fatalf("%s is not known", name)
	}
	return c.Inputs(in)
}

// did is the work of a tool according to an input.
type did struct {
	Event, Tool, File, Command, Before, After, Error, Stdout string
	Unknown                                                  bool // whether it succeeded
}

// requireDone compares the recorded inputs of a client with the expected work, by name.
func requireDone(t *testing.T, name string, all map[string][]did) {
	t.Helper()
	for event, want := range all {
		var got []did
		for _, in := range inputs(t, name, input(t, name, event)) {
			got = append(got, did{
				in.HookEventName, in.ToolName, filepath.ToSlash(in.ToolInput.String("file_path")), in.ToolInput.String("command"), in.ToolInput.String("old_string"),
				in.ToolInput.String("new_string") + in.ToolInput.String("content"), in.Error, in.ToolResponse.String("stdout"), in.ToolResponse.Bool("interrupted"),
			})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", event, diff)
		}
	}
}
