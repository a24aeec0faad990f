package daemonapi

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The daemon's error codes, in addition to those of JSON-RPC.
const (
	CodeParse       = -32700
	CodeMethod      = -32601
	CodeParams      = -32602
	CodeInternal    = -32603
	CodeUnavailable = -32001 // the store cannot be reached now
	CodeNotFound    = -32002
)

const (
	// Version is the version of JSON-RPC, which each message names.
	Version = "2.0"
	// maxMessageBytes is the maximum number of bytes of a line, because the reader keeps the whole line in memory.
	maxMessageBytes = 16 << 20
)

// Error is the daemon's answer to a request that failed.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error returns the message without the code, which means nothing to people. If the daemon does not know the method,
// its version is not the program's, and the message says how to replace it.
func (e *Error) Error() string {
	if e.Code == CodeMethod {
		return e.Message + ": the running daemon has another version; memory daemon stop ends it, and the next command or session starts this version"
	}
	return e.Message
}

// Unwrap returns the error of package memory that belongs to the code, so that errors.Is works.
func (e *Error) Unwrap() error {
	switch e.Code {
	case CodeUnavailable:
		return memory.ErrUnavailable
	case CodeNotFound:
		return memory.ErrNotFound
	case CodeParams:
		return memory.ErrInvalid
	}
	return nil
}

// Request is a request or notification on the wire.
type Request struct {
	Version string          `json:"jsonrpc"`
	ID      int64           `json:"id,omitempty"` // 0 for a notification
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params,omitempty"`
}

// Response is an answer on the wire.
type Response struct {
	Version string          `json:"jsonrpc"`
	ID      int64           `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// ErrTooLong means that a message is longer than any valid message.
var ErrTooLong = fmt.Errorf("message of more than %d bytes", maxMessageBytes)

// ReadMessage returns the next line without its newline. It returns ErrTooLong if the line has more than maxMessageBytes.
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
