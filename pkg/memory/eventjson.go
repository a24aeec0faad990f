package memory

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// AppendJSON appends the event byte by byte as encoding/json writes it. A hook process
// encodes one event, and encoding/json first inspects every field of every type: that
// took a tenth of the whole process.
//
// Errors: a time that RFC 3339 cannot express, or an import that cannot be encoded.
func (e Event) AppendJSON(b []byte) ([]byte, error) {
	o := object{bytes: append(b, '{')}
	o.text("id", e.ID)
	o.time("at", e.At)
	o.text("kind", string(e.Kind))
	o.text("session", e.Session)
	o.key("project")
	o.project(e.Project)
	o.given("dir", e.Dir)
	o.given("source", e.Source)
	o.given("reason", e.Reason)
	o.given("prompt", e.Prompt)
	o.given("last_words", e.LastWords)
	o.given("tool", e.Tool)
	o.given("file", e.File)
	o.given("before", e.Before)
	o.given("after", e.After)
	o.count("lines", e.Lines)
	o.given("command", e.Command)
	o.given("purpose", e.Purpose)
	o.given("output", e.Output)
	o.given("error", e.Error)
	o.given("remembered_kind", string(e.RememberedKind))
	o.flag("by_user", e.ByUser)
	o.given("text", e.Text)
	o.list("files", e.Files)
	o.list("tags", e.Tags)
	if len(e.Fingerprints) > 0 {
		o.key("fingerprints")
		o.value(e.Fingerprints)
	}
	o.flag("truncated", e.Truncated)
	if e.Import != nil {
		o.key("import")
		o.value(e.Import)
	}
	if e.Distilled != nil {
		o.key("distilled")
		o.value(e.Distilled)
	}
	return append(o.bytes, '}'), o.err
}

// object is a JSON object that is being written.
type object struct {
	bytes []byte
	err   error // the first
}

func (o *object) key(name string) {
	if last := o.bytes[len(o.bytes)-1]; last != '{' {
		o.bytes = append(o.bytes, ',')
	}
	o.bytes = append(o.bytes, '"')
	o.bytes = append(o.bytes, name...)
	o.bytes = append(o.bytes, '"', ':')
}

func (o *object) project(p Project) {
	o.bytes = append(o.bytes, '{')
	o.text("key", p.Key)
	o.text("name", p.Name)
	o.text("root", p.Root)
	if !p.SeenAt.IsZero() {
		o.time("seen_at", p.SeenAt)
	}
	o.bytes = append(o.bytes, '}')
}

func (o *object) text(name, value string) {
	o.key(name)
	o.string(value)
}

// given writes a text unless it is empty.
func (o *object) given(name, value string) {
	if value != "" {
		o.text(name, value)
	}
}

func (o *object) list(name string, values []string) {
	if len(values) == 0 {
		return
	}
	o.key(name)
	for i, value := range values {
		separator := byte(',')
		if i == 0 {
			separator = '['
		}
		o.bytes = append(o.bytes, separator)
		o.string(value)
	}
	o.bytes = append(o.bytes, ']')
}

func (o *object) count(name string, value int) {
	if value != 0 {
		o.key(name)
		o.bytes = strconv.AppendInt(o.bytes, int64(value), 10)
	}
}

func (o *object) flag(name string, value bool) {
	if value {
		o.key(name)
		o.bytes = append(o.bytes, "true"...)
	}
}

func (o *object) time(name string, value time.Time) {
	o.key(name)
	text, err := value.MarshalText()
	if err != nil {
		o.fail(fmt.Errorf("%s: %w", name, err))
		return
	}
	o.string(string(text))
}

// string writes what needs no escapes itself.
func (o *object) string(value string) {
	for i := range len(value) {
		if c := value[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			o.value(value)
			return
		}
	}
	o.bytes = append(o.bytes, '"')
	o.bytes = append(o.bytes, value...)
	o.bytes = append(o.bytes, '"')
}

func (o *object) value(value any) {
	encoded, err := json.Marshal(value)
	if err != nil {
		o.fail(err)
		return
	}
	o.bytes = append(o.bytes, encoded...)
}

func (o *object) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}
