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
	URL   string // such as http://localhost:11434/v1
	Model string
	Key   string // empty for none
}

// noRedirects follows no redirect, because its address was not checked.
var noRedirects = http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// address returns the address to which questions are sent. It fails if the URL is invalid or insecure.
func (e Endpoint) address() (string, error) {
	at, err := url.Parse(e.URL)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return "", fmt.Errorf("distill.url %q is not an http or https address: set one, such as http://localhost:11434/v1", e.URL)
	}
	ip := net.ParseIP(at.Hostname())
	isHere := at.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if at.Scheme != "https" && !isHere {
		return "", fmt.Errorf("distill.url: %s: %w", at.Host, errInsecure)
	}
	return strings.TrimRight(e.URL, "/") + "/chat/completions", nil
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
func (e Endpoint) Ask(ctx context.Context, q distill.Question) (distill.Reply, error) {
	address, err := e.address()
	if err != nil {
		return noReply, fmt.Errorf("%w: %w", distill.ErrRunner, err)
	}
	body, err := json.Marshal(request{
		Model: e.Model, MaxTokens: q.MaxOutput, Messages: []message{{"system", q.System}, {"user", q.Prompt}},
		Format: map[string]any{
			"type":        "json_schema",
			"json_schema": map[string]any{"name": "distilled", "strict": true, "schema": q.Schema},
		},
	})
	asked, errRequest := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err = errors.Join(err, errRequest); err != nil {
		return noReply, fmt.Errorf("ask %s: %w", e.URL, err)
	}
	asked.Header.Set("Content-Type", "application/json")
	if e.Key != "" {
		asked.Header.Set("Authorization", "Bearer "+e.Key)
	}
	answered, err := noRedirects.Do(asked)
	var dial *net.OpError
	switch {
	case errors.As(err, &dial) && dial.Op == "dial":
		return noReply, fmt.Errorf("%w: check distill.url: %w", distill.ErrRunner, err)
	case err != nil:
		return distill.Reply{}, fmt.Errorf("ask %s: %w", e.URL, err)
	}
	defer func() { _ = answered.Body.Close() }() // only read from
	text, err := io.ReadAll(io.LimitReader(answered.Body, maxOutput+1))
	switch {
	case err != nil:
		return distill.Reply{}, fmt.Errorf("read the answer of %s: %w", e.URL, err)
	case len(text) > maxOutput:
		return distill.Reply{}, fmt.Errorf("read the answer of %s: %w", e.URL, errTooLong)
	}
	return e.read(answered, text)
}

// read returns the reply in a response.
func (e Endpoint) read(answered *http.Response, text []byte) (distill.Reply, error) {
	switch answered.StatusCode {
	case http.StatusOK:
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusBadRequest:
		return noReply, fmt.Errorf("%w: %s answered %s: %.300s", distill.ErrRunner, e.URL, answered.Status, bytes.TrimSpace(text))
	default:
		return noReply, fmt.Errorf("%s answered %s: %.300s", e.URL, answered.Status, bytes.TrimSpace(text))
	}
	var r response
	if err := json.Unmarshal(text, &r); err != nil {
		return distill.Reply{}, fmt.Errorf("%w: %s did not answer with JSON: %w", distill.ErrAnswer, e.URL, err)
	}
	var reply distill.Reply
	if r.Usage != nil {
		reply.Usage = distill.NewUsage([]int{r.Usage.Input}, []int{r.Usage.Output}, 0)
	}
	switch {
	case len(r.Choices) == 0:
		return reply, fmt.Errorf("%w: %s returned no answer", distill.ErrAnswer, e.URL)
	case r.Choices[0].Message.Refusal != "":
		return reply, fmt.Errorf("%w: the model refuses: %.300s", distill.ErrAnswer, r.Choices[0].Message.Refusal)
	case r.Choices[0].Finish == "length":
		return reply, fmt.Errorf("%w: it is longer than allowed", distill.ErrAnswer)
	}
	reply.Text = []byte(r.Choices[0].Message.Content)
	return reply, nil
}
