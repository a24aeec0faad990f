package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Member is a member of an object as it is written there.
type Member struct {
	Key   string
	Value json.RawMessage
}

// Object is a JSON object with its members in the order of the file. Names are unique.
type Object []Member

// ParseObject takes a JSON object apart. No content at all is an empty object.
func ParseObject(data []byte) (Object, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	if !json.Valid(data) {
		return nil, errors.New("it is not valid JSON; comments in it are not understood")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("it is no JSON object")
	}
	var all Object
	names := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		one := Member{Key: key.(string)} // valid JSON has only texts there
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

// parseIn takes a JSON object apart, and an object that is a member of it. One that is missing is empty.
func parseIn(content []byte, name string) (root, inner Object, err error) {
	if root, err = ParseObject(content); err != nil {
		return nil, nil, err
	}
	if value := root.Get(name); value != nil {
		if inner, err = ParseObject(value); err != nil {
			return nil, nil, fmt.Errorf("%q is not understood: %w", name, err)
		}
	}
	return root, inner, nil
}

// at is the place of a member, or -1.
func (o Object) at(key string) int {
	return slices.IndexFunc(o, func(one Member) bool { return one.Key == key })
}

// Get is the value of a member, nil if there is none.
func (o Object) Get(key string) json.RawMessage {
	if i := o.at(key); i >= 0 {
		return o[i].Value
	}
	return nil
}

// With has the value for the key, in its old place or at the end.
func (o Object) With(key string, value json.RawMessage) Object {
	if i := o.at(key); i >= 0 {
		o[i].Value = value
		return o
	}
	return append(o, Member{key, value})
}

// Without lacks the member of a key.
func (o Object) Without(key string) Object {
	i := o.at(key)
	if i < 0 {
		return o
	}
	return append(o[:i:i], o[i+1:]...)
}

// Raw is the object on one line.
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

// Page is the object as people write it.
func (o Object) Page() ([]byte, error) {
	var text bytes.Buffer
	if err := json.Indent(&text, o.Raw(), "", "  "); err != nil {
		return nil, err
	}
	text.WriteByte('\n')
	return text.Bytes(), nil
}

// Raw encodes texts, numbers and lists of them, which cannot fail, and leaves < and & readable.
func Raw(value any) json.RawMessage {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(value)
	return bytes.TrimSpace(text.Bytes())
}
