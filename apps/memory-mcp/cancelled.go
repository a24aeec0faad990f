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
	mu   sync.Mutex
	open map[jsonrpc.ID]bool // with whether it is cancelled
}

// received notes a message of the client.
func (r *requests) received(message jsonrpc.Message) {
	request, is := message.(*jsonrpc.Request)
	if !is {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if request.IsCall() {
		r.open[request.ID] = false
		return
	}
	if request.Method != cancelledMethod {
		return
	}
	var params struct {
		ID any `json:"requestId"`
	}
	if json.Unmarshal(request.Params, &params) != nil {
		return
	}
	id, err := jsonrpc.MakeID(params.ID)
	if _, isOpen := r.open[id]; err == nil && isOpen { // else its answer is on the way
		r.open[id] = true
	}
}

// answered notes a message of the server, and reports whether it answers a cancelled request.
func (r *requests) answered(message jsonrpc.Message) (wasCancelled bool) {
	response, is := message.(*jsonrpc.Response)
	if !is {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	wasCancelled = r.open[response.ID]
	delete(r.open, response.ID)
	return wasCancelled
}

// wantedAnswers leaves out the answers to cancelled requests. Each write has one message.
type wantedAnswers struct {
	to       io.WriteCloser
	requests *requests
}

func (w wantedAnswers) Write(data []byte) (int, error) {
	message, err := jsonrpc.DecodeMessage(bytes.TrimSpace(data))
	if err == nil && w.requests.answered(message) {
		return len(data), nil
	}
	return w.to.Write(data)
}

func (w wantedAnswers) Close() error { return w.to.Close() }
