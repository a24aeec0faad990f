package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"
)

// understood decodes a JSON object into the fields of v whose types match. It ignores other fields, so that one odd
// field does not make the whole line unusable. It fails if data is not a JSON object or null.
func understood(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	var odd *json.UnmarshalTypeError
	if errors.As(err, &odd) && bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return nil
	}
	return err
}

// moment is a time, written as RFC 3339. It is zero for anything else.
type moment struct{ time.Time }

func (m *moment) UnmarshalJSON(data []byte) error {
	m.Time, _ = time.Parse(time.RFC3339, scalar(data)) // zero after an error
	return nil
}

// flag is a boolean. It is true unless the value is false, "no", 0, empty or null, because a flag says that a text is not the user's.
type flag bool

func (f *flag) UnmarshalJSON(data []byte) error {
	switch scalar(data) {
	case "", "false", "no", "0":
		*f = false
	default:
		*f = true
	}
	return nil
}

// word is a string. A value of another type is kept as its JSON: as an ID it is still the same each time, and as a
// speaker it is unknown.
type word string

func (w *word) UnmarshalJSON(data []byte) error {
	*w = word(scalar(data))
	return nil
}

// scalar returns the text of a JSON string, "" for null, and the JSON of any other value.
func scalar(data []byte) string {
	var text string
	if string(data) != "null" && json.Unmarshal(data, &text) != nil {
		return string(data)
	}
	return text
}
