package memory

import (
	"fmt"
	"maps"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/jsonout"
)

// AppendJSON appends the event as JSON, for the spool. It refuses imports and distillations,
// which bypass the spool: hook programs would have to link encoding/json for them.
//
// Errors: a time that RFC 3339 cannot express, an import, a distillation (ErrInvalid).
func (e Event) AppendJSON(b []byte) ([]byte, error) {
	if e.Import != nil || e.Distilled != nil {
		return b, fmt.Errorf("event %s holds an import or a model's answer, and is only given to the agent itself: %w", e.ID, ErrInvalid)
	}
	o := jsonout.Append(b)
	o.Text("id", e.ID)
	o.Time("at", e.At)
	o.Text("kind", string(e.Kind))
	o.Text("session", e.Session)
	o.Inside("project", e.Project.write)
	o.Given("dir", e.Dir)
	o.Given("client", e.Client)
	o.Given("source", e.Source)
	o.Given("reason", e.Reason)
	o.Given("prompt", e.Prompt)
	o.Given("last_words", e.LastWords)
	o.Given("tool", e.Tool)
	o.Given("file", e.File)
	o.Given("before", e.Before)
	o.Given("after", e.After)
	o.Count("lines", e.Lines)
	o.Given("command", e.Command)
	o.Given("purpose", e.Purpose)
	o.Given("output", e.Output)
	o.Given("error", e.Error)
	o.Given("remembered_kind", string(e.RememberedKind))
	o.Flag("by_user", e.ByUser)
	o.Given("text", e.Text)
	o.List("files", e.Files)
	o.List("tags", e.Tags)
	o.Given("title", e.Title)
	o.Given("area", e.Area)
	o.List("cues", e.Cues)
	o.Flag("everywhere", e.Everywhere)
	o.Count("weight", e.Weight)
	o.Given("replaces", e.Replaces)
	if len(e.Fingerprints) > 0 {
		o.Inside("fingerprints", func(o *jsonout.Object) {
			for _, file := range slices.Sorted(maps.Keys(e.Fingerprints)) {
				o.Text(file, e.Fingerprints[file])
			}
		})
	}
	o.Flag("truncated", e.Truncated)
	return o.End()
}

func (p Project) write(o *jsonout.Object) {
	o.Text("key", p.Key)
	o.Text("name", p.Name)
	o.Text("root", p.Root)
	if !p.SeenAt.IsZero() {
		o.Time("seen_at", p.SeenAt)
	}
}
