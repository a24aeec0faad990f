package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
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

// moment is a time, written as RFC 3339 or as the number of seconds, milliseconds, microseconds or nanoseconds since
// 1970. It is zero for anything else.
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

// firstSecond and lastSecond are the limits of a number of seconds: a smaller number is a count, not a time; a larger
// one (the year 5138) has a finer unit.
const firstSecond, lastSecond = 1e9, 1e11

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
