package models

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
)

// errInsecure is returned for an endpoint on another machine without https: text and key would be sent unencrypted.
var errInsecure = errors.New("sessions are sent only by https, or to this machine: use an https address")

// Endpoint asks an OpenAI-compatible endpoint. It is safe for concurrent use.
type Endpoint struct {
	address string
	model   string
	key     string
	http    *http.Client
}

// NewEndpoint returns a client for an endpoint such as http://localhost:11434/v1, to whose address it adds
// "/chat/completions". The key may be empty. It fails if the address is invalid or insecure.
func NewEndpoint(address, model, key string) (*Endpoint, error) {
	at, err := url.Parse(address)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("distill.url: %q is not an http or https address", address)
	}
	ip := net.ParseIP(at.Hostname())
	isHere := at.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if at.Scheme != "https" && !isHere {
		return nil, fmt.Errorf("distill.url: %s: %w", at.Host, errInsecure)
	}
	// It does not follow redirects, because their addresses were not checked.
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Endpoint{address: strings.TrimRight(address, "/") + "/chat/completions", model: model, key: key, http: client}, nil
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type request struct {
	Model     string         `json:"model"`
	Messages  []message      `json:"messages"`
	MaxTokens int            `json:"max_tokens"`
	Format    map[string]any `json:"response_format"`
}

type response struct {
	Choices []struct {
		Finish  string `json:"finish_reason"`
		Message struct {
			Content string `json:"content"`
			Refusal string `json:"refusal"`
		} `json:"message"`
	} `json:"choices"`
	Usage *struct {
		Input  int `json:"prompt_tokens"`
		Output int `json:"completion_tokens"`
	} `json:"usage"`
}

// Ask implements distill.Model.
func (e *Endpoint) Ask(ctx context.Context, q distill.Question) (distill.Reply, error) {
	body, err := json.Marshal(request{
		Model: e.model, MaxTokens: q.MaxOutput, Messages: []message{{"system", q.System}, {"user", q.Prompt}},
		Format: map[string]any{
			"type":        "json_schema",
			"json_schema": map[string]any{"name": "distilled", "strict": true, "schema": q.Schema},
		},
	})
	asked, errRequest := http.NewRequestWithContext(ctx, http.MethodPost, e.address, bytes.NewReader(body))
	if err = errors.Join(err, errRequest); err != nil {
		return noReply, fmt.Errorf("ask %s: %w", e.address, err)
	}
	asked.Header.Set("Content-Type", "application/json")
	if e.key != "" {
		asked.Header.Set("Authorization", "Bearer "+e.key)
	}
	answered, err := e.http.Do(asked)
	var dial *net.OpError
	switch {
	case errors.As(err, &dial) && dial.Op == "dial":
		return noReply, fmt.Errorf("%w: %w", distill.ErrRunner, err)
	case err != nil:
		return distill.Reply{}, fmt.Errorf("ask %s: %w", e.address, err)
	}
	defer func() { _ = answered.Body.Close() }() // only read from
	text, err := io.ReadAll(io.LimitReader(answered.Body, maxOutput+1))
	switch {
	case err != nil:
		return distill.Reply{}, fmt.Errorf("read the answer of %s: %w", e.address, err)
	case len(text) > maxOutput:
		return distill.Reply{}, fmt.Errorf("read the answer of %s: %w", e.address, errTooLong)
	}
	return e.read(answered, text)
}

// read returns the reply in a response.
func (e *Endpoint) read(answered *http.Response, text []byte) (distill.Reply, error) {
	switch answered.StatusCode {
	case http.StatusOK:
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusBadRequest:
		return noReply, fmt.Errorf("%w: %s answered %s: %.300s", distill.ErrRunner, e.address, answered.Status, bytes.TrimSpace(text))
	default:
		return noReply, fmt.Errorf("%s answered %s: %.300s", e.address, answered.Status, bytes.TrimSpace(text))
	}
	var r response
	if err := json.Unmarshal(text, &r); err != nil {
		return distill.Reply{}, fmt.Errorf("%w: %s did not answer with JSON: %w", distill.ErrAnswer, e.address, err)
	}
	var reply distill.Reply
	if r.Usage != nil {
		reply.Usage = distill.NewUsage([]int{r.Usage.Input}, []int{r.Usage.Output}, 0)
	}
	switch {
	case len(r.Choices) == 0:
		return reply, fmt.Errorf("%w: %s returned no answer", distill.ErrAnswer, e.address)
	case r.Choices[0].Message.Refusal != "":
		return reply, fmt.Errorf("%w: the model refuses: %.300s", distill.ErrAnswer, r.Choices[0].Message.Refusal)
	case r.Choices[0].Finish == "length":
		return reply, fmt.Errorf("%w: it is longer than allowed", distill.ErrAnswer)
	}
	reply.Text = []byte(r.Choices[0].Message.Content)
	return reply, nil
}
