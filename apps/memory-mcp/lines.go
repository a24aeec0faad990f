package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// mostLine is the longest message that is answered, in bytes: more than any tool takes.
	mostLine = 4 << 20
	// mostKept is how much is kept of a longer one, to refuse it by its id. Clients write the
	// id behind the long parts of a message.
	mostKept = 16 * mostLine
)

// stdio is a transport over two streams that answers a line which is no message
// with an error, as JSON-RPC has it, and goes on: the library's own ends there. A
// request that the client cancels gets no answer.
func stdio(in io.Reader, out io.Writer) mcp.Transport {
	replies, open := &lockedWriter{to: out}, &requests{open: map[jsonrpc.ID]*request{}}
	read, write := io.Pipe()
	go func() { _ = write.CloseWithError(pass(in, write, replies, open)) }()
	return &mcp.IOTransport{Reader: read, Writer: wantedAnswers{replies, open}, MaxLineLength: mostLine}
}

// pass forwards the lines that are messages, until the input ends.
func pass(in io.Reader, messages, replies io.Writer, open *requests) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := nextLine(lines)
		isTooLong, refusal := len(line) > mostLine, ""
		line = bytes.TrimSpace(bytes.TrimPrefix(line, byteOrderMark))
		switch {
		case isTooLong:
			refusal = refuse(idOf(line), codeInvalid, fmt.Sprintf("the message has more than %d bytes", mostLine))
		case len(line) == 0:
		case line[0] == '[':
			var writeErr error
			refusal, writeErr = passBatch(line, messages, open)
			err = errors.Join(err, writeErr)
		default:
			var writeErr error
			refusal, writeErr = passOne(line, messages, open, nil)
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

// passOne passes a message on, or returns its refusal.
func passOne(line []byte, messages io.Writer, open *requests, in *batch) (refusal string, err error) {
	line = wrapped(line)
	message, refusal := decoded(line)
	if refusal != "" {
		return refusal, nil
	}
	open.received(message, in) // before the server can answer it
	_, err = messages.Write(append(line, '\n'))
	return "", err
}

// passBatch passes the messages of a batch on, or returns its refusal, or the refusals of all its messages.
func passBatch(line []byte, messages io.Writer, open *requests) (answer string, err error) {
	var all, refusals []json.RawMessage
	if json.Unmarshal(line, &all) != nil {
		return refuse(nil, codeParse, notJSON), nil
	}
	if !open.isBatched() {
		return refuse(nil, codeInvalid, "this version of MCP has no batches: send each message in a line of its own, or ask for "+withBatches), nil
	}
	if len(all) == 0 {
		return refuse(nil, codeInvalid, "a batch without messages"), nil
	}
	b := &batch{waits: 1}
	for _, one := range all {
		refusal, writeErr := passOne(one, messages, open, b)
		err = errors.Join(err, writeErr)
		if refusal != "" {
			refusals = append(refusals, json.RawMessage(refusal))
		}
	}
	return string(open.end(b, refusals)), err
}

// byteOrderMark begins the output of some programs.
var byteOrderMark = []byte("\xef\xbb\xbf")

// decoded is the message of a line, or the error to answer a line with that is none.
func decoded(line []byte) (message jsonrpc.Message, refusal string) {
	if !json.Valid(line) { // the library decodes a message that something else follows, and then ends
		return nil, refuse(nil, codeParse, notJSON)
	}
	message, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, refuse(nil, codeInvalid, "not a JSON-RPC 2.0 message")
	}
	return message, ""
}

// nextLine reads one line, or the beginning of one that is longer than mostKept.
func nextLine(lines *bufio.Reader) (line []byte, err error) {
	for {
		part, err := lines.ReadSlice('\n')
		line = append(line, part[:min(len(part), mostKept-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// longestID is the longest id of a request that is answered by it, in bytes.
const longestID = 128

// idOf is the id of a request, as it stands there; nil: it has none.
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

// The codes of JSON-RPC for malformed messages.
const notJSON = "not JSON, or more than one value in a line"

const (
	codeParse   = -32700
	codeInvalid = -32600
)

// refuse answers the request with that id, as JSON; nil: the id is unknown.
func refuse(id []byte, code int, message string) string {
	if id == nil {
		id = []byte("null")
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`+"\n", id, code, message)
}

// lockedWriter keeps lines of two writers apart.
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
