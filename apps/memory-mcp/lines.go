package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// mostLine is the maximum length in bytes of a message that is answered. Tools need less.
	mostLine = 4 << 20
	// mostKept is the number of bytes kept of a longer message, to find its id for the refusal. Clients write the
	// id after the long parts of a message.
	mostKept = 16 * mostLine
)

// stdio returns a transport over two streams. It answers an invalid line with a JSON-RPC error and continues, where
// the library's own transport ends.
func stdio(in io.Reader, out io.Writer) mcp.Transport {
	replies := &lockedWriter{to: out}
	read, write := io.Pipe()
	go func() { _ = write.CloseWithError(pass(in, write, replies)) }()
	return &mcp.IOTransport{Reader: read, Writer: replies, MaxLineLength: mostLine}
}

// pass forwards all valid messages until the input ends.
func pass(in io.Reader, messages, replies io.Writer) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := nextLine(lines)
		isTooLong, refusal := len(line) > mostLine, ""
		line = bytes.TrimSpace(bytes.TrimPrefix(line, byteOrderMark))
		switch {
		case isTooLong:
			refusal = refuse(idOf(line), codeInvalid, fmt.Sprintf("the message has more than %d bytes", mostLine))
		case len(line) > 0:
			var writeErr error
			refusal, writeErr = passOne(line, messages)
			err = errors.Join(err, writeErr)
		}
		if refusal != "" {
			if _, writeErr := io.WriteString(replies, refusal); writeErr != nil {
				return writeErr
			}
		}
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		if err != nil {
			return err
		}
	}
}

// 2025-03-26 is the only version of MCP with batches. A client that asks for it gets 2024-11-05; no client sends
// batches.
const withoutBatches = `${1}"2024-11-05"`

var withBatches = regexp.MustCompile(`("protocolVersion"\s*:\s*)"2025-03-26"`)

// passOne forwards a message, or returns its refusal.
func passOne(line []byte, messages io.Writer) (refusal string, err error) {
	line = wrapped(line)
	message, refusal := decoded(line)
	if refusal != "" {
		return refusal, nil
	}
	if request, is := message.(*jsonrpc.Request); is && request.Method == "initialize" {
		line = withBatches.ReplaceAll(line, []byte(withoutBatches))
	}
	_, err = messages.Write(append(line, '\n'))
	return "", err
}

// byteOrderMark begins the output of some programs.
var byteOrderMark = []byte("\xef\xbb\xbf")

// decoded returns the message in a line, or the refusal of an invalid line.
func decoded(line []byte) (message jsonrpc.Message, refusal string) {
	if !json.Valid(line) { // the library would decode the first value and then end
		return nil, refuse(nil, codeParse, notJSON)
	}
	message, err := jsonrpc.DecodeMessage(line)
	switch {
	case line[0] == '[':
		return nil, refuse(nil, codeInvalid, "batches are not supported: send each message on a line of its own")
	case err != nil:
		return nil, refuse(nil, codeInvalid, "not a JSON-RPC 2.0 message")
	}
	return message, ""
}

// nextLine reads one line, or the first mostKept bytes of a longer one.
func nextLine(lines *bufio.Reader) (line []byte, err error) {
	for {
		part, err := lines.ReadSlice('\n')
		line = append(line, part[:min(len(part), mostKept-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// longestID is the maximum length in bytes of an id that a refusal repeats.
const longestID = 128

// idOf returns the id of a request as written, or nil if there is none.
func idOf(line []byte) []byte {
	var request map[string]json.RawMessage
	if json.Unmarshal(line, &request) != nil {
		return nil
	}
	id := request["id"]
	if len(id) == 0 || len(id) > longestID || id[0] != '"' && id[0] != '-' && (id[0] < '0' || id[0] > '9') {
		return nil
	}
	return id
}

const notJSON = "not JSON, or more than one value on a line"

const (
	codeParse   = -32700
	codeInvalid = -32600
)

// refuse returns the JSON of an error for the request with an id, or for an unknown request if id is nil.
func refuse(id []byte, code int, message string) string {
	if id == nil {
		id = []byte("null")
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`+"\n", id, code, message)
}

// lockedWriter keeps the lines of two writers apart, and gives the ids in them their own form. Each Write must be one
// message.
type lockedWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *lockedWriter) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.to.Write(unwrapped(data)); err != nil {
		return 0, err
	}
	return len(data), nil
}

func (w *lockedWriter) Close() error { return nil } // the streams are the process's own
