package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// member is a member of an object as it is written there.
type member struct {
	key   string
	value json.RawMessage
}

// object is a JSON object with its members in the order of the file. Names are unique.
type object []member

// parseObject takes a JSON object apart. No content at all is an empty object.
func parseObject(data []byte) (object, error) {
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
	var all object
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		one := member{key: key.(string)} // valid JSON has only texts there
		if err := d.Decode(&one.value); err != nil {
			return nil, err
		}
		if all.at(one.key) >= 0 {
			return nil, fmt.Errorf("it has %q twice", one.key)
		}
		all = append(all, one)
	}
	return all, nil
}

// at is the place of a member, or -1.
func (o object) at(key string) int {
	for i, one := range o {
		if one.key == key {
			return i
		}
	}
	return -1
}

// get is the value of a member, nil if there is none.
func (o object) get(key string) json.RawMessage {
	if i := o.at(key); i >= 0 {
		return o[i].value
	}
	return nil
}

// with has the value for the key, in its old place or at the end.
func (o object) with(key string, value json.RawMessage) object {
	if i := o.at(key); i >= 0 {
		o[i].value = value
		return o
	}
	return append(o, member{key, value})
}

func (o object) without(key string) object {
	i := o.at(key)
	if i < 0 {
		return o
	}
	return append(o[:i:i], o[i+1:]...)
}

// raw is the object on one line.
func (o object) raw() json.RawMessage {
	var text bytes.Buffer
	text.WriteByte('{')
	for i, one := range o {
		if i > 0 {
			text.WriteByte(',')
		}
		text.Write(rawOf(one.key))
		text.WriteByte(':')
		text.Write(one.value)
	}
	text.WriteByte('}')
	return text.Bytes()
}

// page is the object as people write it.
func (o object) page() ([]byte, error) {
	var text bytes.Buffer
	if err := json.Indent(&text, o.raw(), "", "  "); err != nil {
		return nil, err
	}
	text.WriteByte('\n')
	return text.Bytes(), nil
}

// rawOf encodes texts and numbers, which cannot fail, and leaves < and & readable.
func rawOf(value any) json.RawMessage {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(value)
	return bytes.TrimSpace(text.Bytes())
}

func compact(value json.RawMessage) []byte {
	var text bytes.Buffer
	if json.Compact(&text, value) != nil {
		return value
	}
	return text.Bytes()
}
