package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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

// pass forwards the valid messages, and answers the other lines, until the input ends. It fails with io.EOF at the end.
func pass(in io.Reader, messages, replies io.Writer) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(bytes.TrimPrefix(line, byteOrderMark)); len(line) > 0 {
			text, to := refusal(line), replies
			if text == "" {
				text, to = string(line)+"\n", messages
			}
			if _, writeErr := io.WriteString(to, text); writeErr != nil {
				return writeErr
			}
		}
		if err != nil {
			return err
		}
	}
}

// byteOrderMark begins the output of some programs.
var byteOrderMark = []byte("\xef\xbb\xbf")

// refusal returns the answer to a line that is not a message, or "".
func refusal(line []byte) string {
	if !json.Valid(line) { // the library would decode the first value and then end
		return refuse(codeParse, "not JSON, or more than one value on a line")
	}
	if line[0] == '[' {
		return refuse(codeInvalid, "batches are not supported: send each message on a line of its own")
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return refuse(codeInvalid, "not a JSON-RPC 2.0 message")
	}
	return ""
}

const (
	codeParse   = -32700
	codeInvalid = -32600
)

// refuse returns the JSON of an error for a request whose id is unknown.
func refuse(code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, message)
}

// lockedWriter keeps the lines of two writers apart. Each Write must be one message.
type lockedWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *lockedWriter) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(data)
}

func (w *lockedWriter) Close() error { return nil } // the streams are the process's own
