package connect_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client/connect"
)

// The other members of a file stay as they are written where the status line is put in.
func TestTheStatusLineIsPutInBesideWhatIsThere(t *testing.T) {
	for before, after := range map[string]string{
		"{\t\"allow\": [ 1,2 ],\"model\":\"opus\" }": "{\t\"allow\": [ 1,2 ],\"model\":\"opus\",\t\"statusLine\": {\"a\":[1]} }",
		"\ufeff{\r\n\t\"model\": \"opus\"\r\n}\r\n":  "\ufeff{\r\n\t\"model\": \"opus\",\r\n\t\"statusLine\": {\"a\":[1]}\r\n}\r\n",
		`{"statusLine": null, "model":  "opus"}`:     `{"statusLine": {"a":[1]}, "model":  "opus"}`,
		"{}":                                         `{"statusLine": {"a":[1]}}`,
		" { } ":                                      ` {"statusLine": {"a":[1]} } `,
		"":                                           "{\n  \"statusLine\": {\n    \"a\": [\n      1\n    ]\n  }\n}\n",
	} {
		line := connect.StatusLineOf(t.TempDir())
		if err := os.WriteFile(line.Path, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := line.Write(json.RawMessage(`{"a":[1]}`)); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(line.Path); string(text) != after || err != nil {
			t.Errorf("%q became %q, %v", before, text, err)
		}
	}
}

// Removing the line leaves all else to the byte.
func TestTheStatusLineIsTakenOutAsItWasPutIn(t *testing.T) {
	for name, test := range map[string]struct{ before, changed, after string }{
		"two blanks":        {before: "{\n  \"model\": \"opus\"\n}\n", after: "{\n  \"model\": \"opus\"\n}\n"},
		"tabs, in one line": {before: "{\t\"permissions\": {\"allow\": [ \"Bash\" ]},\"model\":\"opus\" }", after: "{\t\"permissions\": {\"allow\": [ \"Bash\" ]},\"model\":\"opus\" }"},
		"empty":             {before: "{}", after: "{}"},
		"not there":         {after: "{\n}\n"},
		"changed since":     {before: `{"model":"opus"}`, changed: `{"model": "opus", "statusLine": {"type": "command", "command": "/p/memory-statusline"}, "theme": "dark"}`, after: `{"model": "opus", "theme": "dark"}`},
		"reordered since":   {before: `{"model":"opus"}`, changed: "\ufeff{\r\n\t\"statusLine\": {\"type\": \"command\", \"command\": \"/p/memory-statusline\"},\r\n\t\"a\": [1,  2],\r\n\t\"ß\": \"<b>\"\r\n}", after: "\ufeff{\r\n\t\"a\": [1,  2],\r\n\t\"ß\": \"<b>\"\r\n}"},
		"alone since":       {before: `{"model":"opus"}`, changed: "{\n  \"statusLine\": {\"type\": \"command\", \"command\": \"/p/memory-statusline\"}\n}\n", after: "{\n}\n"},
	} {
		dir := t.TempDir()
		line := connect.StatusLineOf(dir)
		write := func(text string) {
			if err := os.WriteFile(line.Path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if test.before != "" {
			write(test.before)
		}
		if err := line.Write(json.RawMessage(`{"type": "command", "command": "/p/memory-statusline"}`)); err != nil {
			t.Fatal(name, err)
		}
		if isThere, isOurs, err := line.Runs("/elsewhere/memory-statusline"); !isThere || !isOurs || err != nil {
			t.Errorf("%s: it is there %v, and ours %v, %v", name, isThere, isOurs, err)
		}
		if test.changed != "" {
			write(test.changed)
		}
		if err := line.Write(nil); err != nil {
			t.Fatal(name, err)
		}
		text, err := os.ReadFile(line.Path)
		if string(text) != test.after || err != nil {
			t.Errorf("%s: left is %q, %v", name, text, err)
		}
	}
}
