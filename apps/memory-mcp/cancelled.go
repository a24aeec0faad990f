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

// requests are the requests without an answer. A client expects no answer to a request that it has cancelled, and
// the protocol asks servers to send none, but the library sends an error. The methods are safe for concurrent use.
type requests struct {
	mu      sync.Mutex
	open    map[jsonrpc.ID]*request
	version string // protocol version that the client asked for
}

// request is a request without an answer.
type request struct {
	isCancelled bool
	in          *batch // its batch, or nil if it came alone
}

// batch collects the answers to requests that came together, because they are sent together.
type batch struct {
	answers []json.RawMessage
	waits   int // number of missing answers, plus 1 while the batch is read
}

// received records a message of the client.
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
	_ = json.Unmarshal(received.Params, &params) // malformed parameters name no request
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
	if one := r.open[id]; err == nil && one != nil { // otherwise its answer is on the way
		one.isCancelled = true
	}
}

// answered records a message of the server and returns what to send now: the message, nothing (the answer to a
// cancelled request, or to a part of an unfinished batch), or all answers of a batch.
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

// with adds an answer, unless it is nil. It returns all answers once none is missing, and nothing before.
func (b *batch) with(answer []byte) []byte {
	if answer != nil {
		b.answers = append(b.answers, answer)
	}
	if b.waits--; b.waits > 0 || len(b.answers) == 0 {
		return nil
	}
	return append(encoded(b.answers), '\n')
}

// withBatches is the only protocol version with batches.
const withBatches = "2025-03-26"

// isBatched reports whether the client's protocol version has batches.
func (r *requests) isBatched() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.version == withBatches
}

// end ends the reading of a batch, adds the refusals of its invalid messages, and returns what to send now.
func (r *requests) end(b *batch, refusals []json.RawMessage) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	b.answers = append(b.answers, refusals...)
	return b.with(nil)
}

// wantedAnswers sends the answers that the client expects. Each Write must be one message.
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
