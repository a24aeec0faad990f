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

// mostLine is the maximum length of a message in bytes that is set in the library. No message reaches it, because the
// client may send what it likes.
const mostLine = 1 << 30

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
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(bytes.TrimPrefix(line, byteOrderMark)); len(line) > 0 {
			refusal, writeErr := passOne(line, messages)
			if err = errors.Join(err, writeErr); refusal != "" {
				if _, writeErr := io.WriteString(replies, refusal); writeErr != nil {
					return writeErr
				}
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

// 2025-03-26 is the only version of MCP with batches. A client that asks for it gets 2024-11-05; no client sends batches.
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
		return nil, refuse(codeParse, notJSON)
	}
	message, err := jsonrpc.DecodeMessage(line)
	switch {
	case line[0] == '[':
		return nil, refuse(codeInvalid, "batches are not supported: send each message on a line of its own")
	case err != nil:
		return nil, refuse(codeInvalid, "not a JSON-RPC 2.0 message")
	}
	return message, ""
}

const notJSON = "not JSON, or more than one value on a line"

const (
	codeParse   = -32700
	codeInvalid = -32600
)

// refuse returns the JSON of an error for a request whose id is unknown.
func refuse(code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, message)
}

// lockedWriter keeps the lines of two writers apart, and restores the ids that the client sent. Each Write must be one message.
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
