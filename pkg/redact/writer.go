package redact

import "io"

// Writer redacts each text that is written, for logs. Each Write must get whole
// lines.
type Writer struct{ To io.Writer }

// Write implements io.Writer. It counts the bytes it was given, not those that
// were left.
func (w Writer) Write(text []byte) (int, error) {
	clean, _ := Text(string(text))
	if _, err := io.WriteString(w.To, clean); err != nil {
		return 0, err
	}
	return len(text), nil
}
