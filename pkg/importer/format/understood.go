package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"time"
)

// understood reads a JSON object into the fields of v that have the expected type; another field is as if it were not there, because one
// odd field costs no line. It fails if data is no JSON object; null is an empty one.
func understood(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	var odd *json.UnmarshalTypeError
	if errors.As(err, &odd) && bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return nil
	}
	return err
}

// moment is a time, as RFC 3339 has it or as the number of seconds, milliseconds, microseconds or nanoseconds since 1970; zero if it is
// neither.
type moment struct{ time.Time }

func (m *moment) UnmarshalJSON(data []byte) error {
	text := scalar(data)
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		m.Time = at
		return nil
	}
	number, err := strconv.ParseFloat(text, 64)
	for range 3 {
		if number >= lastSecond {
			number /= 1000
		}
	}
	if err == nil && number >= firstSecond && number < lastSecond {
		m.Time = time.UnixMilli(int64(number * 1000)).UTC()
	}
	return nil
}

// A number from lastSecond on is no time in seconds: it would be in the year 5138; and one before firstSecond is no time, but a count.
const firstSecond, lastSecond = 1e9, 1e11

// flag is a yes or no. Any value but a no is a yes, because a flag says that a text is not the user's.
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

// word is a text. A number or another value is its JSON: as an id it names the same thing each time, and as a text about who speaks it is not
// known.
type word string

func (w *word) UnmarshalJSON(data []byte) error {
	*w = word(scalar(data))
	return nil
}

// scalar returns the text of a JSON string, "" of null, and the JSON of any other value.
func scalar(data []byte) string {
	var text string
	if string(data) != "null" && json.Unmarshal(data, &text) != nil {
		return string(data)
	}
	return text
}
