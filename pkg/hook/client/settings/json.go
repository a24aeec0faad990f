package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Member is a name and its raw value in an object.
type Member struct {
	Key   string
	Value json.RawMessage
}

// Object is a JSON object with its members in the order of the file. Names are unique.
type Object []Member

// ParseObject parses a JSON object; empty content gives an empty object. It fails on duplicate names and on comments.
func ParseObject(data []byte) (Object, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	if !json.Valid(data) {
		return nil, errors.New("it is not valid JSON (comments are not allowed)")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("it is not a JSON object")
	}
	var all Object
	names := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		one := Member{Key: key.(string)} // names in valid JSON are strings
		if err := d.Decode(&one.Value); err != nil {
			return nil, err
		}
		if names[one.Key] {
			return nil, fmt.Errorf("it has %q twice", one.Key)
		}
		names[one.Key] = true
		all = append(all, one)
	}
	return all, nil
}

// parseIn parses a JSON object, and the object in the member that is called name. A missing member gives an empty
// object.
func parseIn(content []byte, name string) (root, inner Object, err error) {
	if root, err = ParseObject(content); err != nil {
		return nil, nil, err
	}
	if value := root.Get(name); value != nil {
		if inner, err = ParseObject(value); err != nil {
			return nil, nil, fmt.Errorf("%q: %w", name, err)
		}
	}
	return root, inner, nil
}

// at returns the index of a member, or -1.
func (o Object) at(key string) int {
	return slices.IndexFunc(o, func(one Member) bool { return one.Key == key })
}

// Get returns the value of a member, or nil.
func (o Object) Get(key string) json.RawMessage {
	if i := o.at(key); i >= 0 {
		return o[i].Value
	}
	return nil
}

// With returns the object with value at key, in its old place or at the end. It may change o.
func (o Object) With(key string, value json.RawMessage) Object {
	if i := o.at(key); i >= 0 {
		o[i].Value = value
		return o
	}
	return append(o, Member{key, value})
}

// Without returns the object without a member.
func (o Object) Without(key string) Object {
	i := o.at(key)
	if i < 0 {
		return o
	}
	return append(o[:i:i], o[i+1:]...)
}

// Raw returns the object as JSON on one line.
func (o Object) Raw() json.RawMessage {
	var text bytes.Buffer
	text.WriteByte('{')
	for i, one := range o {
		if i > 0 {
			text.WriteByte(',')
		}
		text.Write(Raw(one.Key))
		text.WriteByte(':')
		text.Write(one.Value)
	}
	text.WriteByte('}')
	return text.Bytes()
}

// Indented returns the object as indented JSON with a final newline.
func (o Object) Indented() ([]byte, error) {
	var text bytes.Buffer
	if err := json.Indent(&text, o.Raw(), "", "  "); err != nil {
		return nil, err
	}
	text.WriteByte('\n')
	return text.Bytes(), nil
}

// Raw encodes a string, a number or a list, which cannot fail. It does not escape < and &.
func Raw(value any) json.RawMessage {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(value)
	return bytes.TrimSpace(text.Bytes())
}
