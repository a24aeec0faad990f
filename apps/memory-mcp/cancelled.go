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

// requests holds the ids of unanswered requests, and whether the client has cancelled them. A client expects no answer
// to a request that it has cancelled, and the protocol asks servers to send none, but the library sends an error. The
// methods are safe for concurrent use.
type requests struct {
	mu          sync.Mutex
	isCancelled map[jsonrpc.ID]bool
}

// received records a message of the client.
func (r *requests) received(message jsonrpc.Message) {
	received, is := message.(*jsonrpc.Request)
	if !is {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if received.IsCall() {
		r.isCancelled[received.ID] = false
		return
	}
	var params struct {
		ID any `json:"requestId"`
	}
	if received.Method != cancelledMethod || json.Unmarshal(received.Params, &params) != nil {
		return
	}
	id, err := jsonrpc.MakeID(params.ID)
	if _, isOpen := r.isCancelled[id]; err == nil && isOpen { // otherwise its answer is on the way
		r.isCancelled[id] = true
	}
}

// isWanted reports whether a message of the server is to be sent. It forgets the request that the message answers.
func (r *requests) isWanted(message jsonrpc.Message) bool {
	response, is := message.(*jsonrpc.Response)
	if !is {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	isCancelled := r.isCancelled[response.ID]
	delete(r.isCancelled, response.ID)
	return !isCancelled
}

// answerFilter sends the answers that the client expects. Each Write must be one message.
type answerFilter struct {
	to       io.WriteCloser
	requests *requests
}

func (w answerFilter) Write(data []byte) (int, error) {
	if message, err := jsonrpc.DecodeMessage(bytes.TrimSpace(data)); err == nil && !w.requests.isWanted(message) {
		return len(data), nil
	}
	if _, err := w.to.Write(unwrapped(data)); err != nil {
		return 0, err
	}
	return len(data), nil
}

func (w answerFilter) Close() error { return w.to.Close() }
