package agentapi

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
)

// ErrTooLong says that a message is longer than any that is sent.
var ErrTooLong = fmt.Errorf("message of more than %d bytes", maxMessageBytes)

// ReadMessage returns the next line without its end.
func ReadMessage(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxMessageBytes {
			return nil, ErrTooLong
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return bytes.TrimSuffix(line, []byte("\n")), nil
	}
}
