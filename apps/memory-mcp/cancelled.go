package main

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// cancelledMethod is the notification by which a client cancels a request.
const cancelledMethod = "notifications/cancelled"

// requests are those that are not answered yet. A client does not expect an answer to a request that it has cancelled,
// and the protocol asks servers to send none; the library sends an error. Its methods are safe for concurrent use.
type requests struct {
	mu      sync.Mutex
	open    map[jsonrpc.ID]*request
	version string // of the protocol that the client asked for
}

// request is one that is not answered.
type request struct {
	isCancelled bool
	in          *batch // nil: it came alone
}

// batch is the answers to requests that came together, which are sent together.
type batch struct {
	answers []json.RawMessage
	waits   int // for so many answers, and 1 while it is read
}

// received notes a message of the client.
func (r *requests) received(message jsonrpc.Message, in *batch) {
	received, is := message.(*jsonrpc.Request)
	if !is {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var params struct {
		ID      any    `json:"requestId"`
		Version string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(received.Params, &params) // what is of another form names none
	if received.IsCall() {
		if received.Method == "initialize" {
			r.version = params.Version
		}
		r.open[received.ID] = &request{in: in}
		if in != nil {
			in.waits++
		}
		return
	}
	if received.Method != cancelledMethod {
		return
	}
	id, err := jsonrpc.MakeID(params.ID)
	if one := r.open[id]; err == nil && one != nil { // else its answer is on the way
		one.isCancelled = true
	}
}

// answered notes a message of the server, and returns what is to be sent now: the message, nothing if it answers a cancelled request
// or one of a batch that waits for others, or all answers to the batch.
func (r *requests) answered(message jsonrpc.Message, data []byte) []byte {
	response, is := message.(*jsonrpc.Response)
	if !is {
		return data
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	one := r.open[response.ID]
	delete(r.open, response.ID)
	switch {
	case one == nil:
		return unwrapped(data)
	case one.in != nil && one.isCancelled:
		return one.in.with(nil)
	case one.in != nil:
		return one.in.with(unwrapped(data))
	case one.isCancelled:
		return nil
	}
	return unwrapped(data)
}

// with adds an answer, if there is one, and returns all of them with the last.
func (b *batch) with(answer []byte) []byte {
	if answer != nil {
		b.answers = append(b.answers, answer)
	}
	if b.waits--; b.waits > 0 || len(b.answers) == 0 {
		return nil
	}
	return append(encoded(b.answers), '\n')
}

// withBatches is the only version of the protocol that has batches.
const withBatches = "2025-03-26"

// isBatched reports whether the client speaks the version that has batches.
func (r *requests) isBatched() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.version == withBatches
}

// end ends the reading of a batch, with the refusals of its messages that are none, and returns what is to be sent now.
func (r *requests) end(b *batch, refusals []json.RawMessage) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	b.answers = append(b.answers, refusals...)
	return b.with(nil)
}

// wantedAnswers sends the answers as the client expects them. Each write has one message.
type wantedAnswers struct {
	to       io.WriteCloser
	requests *requests
}

func (w wantedAnswers) Write(data []byte) (int, error) {
	wanted := data
	if message, err := jsonrpc.DecodeMessage(bytes.TrimSpace(data)); err == nil {
		wanted = w.requests.answered(message, data)
	}
	if len(wanted) > 0 {
		if _, err := w.to.Write(wanted); err != nil {
			return 0, err
		}
	}
	return len(data), nil
}

func (w wantedAnswers) Close() error { return w.to.Close() }
