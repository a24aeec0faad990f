package models

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
)

// errInsecureKey: the endpoint is on another machine and not reached by https, so a key
// would be sent unencrypted.
var errInsecureKey = errors.New("a key is only sent by https or to this machine")

const (
	// maxAnswerBytes bounds a response: 64 vectors of 4,096 numbers are 6 MB.
	maxAnswerBytes = 32 << 20
	maxErrorBytes  = 500
)

// Embedder calls one endpoint. It is safe for concurrent use.
type Embedder struct {
	endpoint  string
	model     string
	dimension int
	key       string
	http      *http.Client
}

// NewEmbedder makes a client of an endpoint such as http://localhost:11434/v1, to which
// "/embeddings" is added. Every vector must have the given dimension. The key may be
// empty. The context of each call sets its timeout.
func NewEmbedder(address, model string, dimension int, key string) (*Embedder, error) {
	at, err := parseAddress(address)
	if err != nil {
		return nil, fmt.Errorf("embeddings: %w", err)
	}
	if model == "" || dimension < 1 {
		return nil, fmt.Errorf("embeddings: name the model and its dimension (%q, %d)", model, dimension)
	}
	if key != "" && !at.Secure {
		return nil, fmt.Errorf("embeddings: %s: %w", at.Host, errInsecureKey)
	}
	return &Embedder{endpoint: at.URL("/embeddings"), model: model, dimension: dimension, key: key, http: httpClient()}, nil
}

type question struct {
	Model  string   `json:"model"`
	Input  []string `json:"input"`
	Format string   `json:"encoding_format"`
}

type answer struct {
	Data []struct {
		Index  int       `json:"index"`
		Vector []float32 `json:"embedding"`
	} `json:"data"`
}

// Embed returns the vector of each text, of length 1. Without texts it sends no
// request.
func (c *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	body, err := json.Marshal(question{Model: c.model, Input: texts, Format: "float"})
	if err != nil {
		return nil, fmt.Errorf("ask for embeddings: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask for embeddings: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask for embeddings: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // only read from
	if response.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBytes))
		return nil, fmt.Errorf("ask for embeddings: %s answered %s: %s", c.endpoint, response.Status, strings.TrimSpace(string(said)))
	}
	var got answer
	if err := json.NewDecoder(io.LimitReader(response.Body, maxAnswerBytes)).Decode(&got); err != nil {
		return nil, fmt.Errorf("read the embeddings of %s: %w", c.endpoint, err)
	}
	return c.vectors(got, len(texts))
}

// vectors checks the response and puts its vectors in the order of the texts.
func (c *Embedder) vectors(got answer, n int) ([][]float32, error) {
	vectors := make([][]float32, n)
	for _, d := range got.Data {
		switch {
		case d.Index < 0 || d.Index >= n || vectors[d.Index] != nil:
			return nil, fmt.Errorf("read the embeddings of %s: text %d of %d is answered twice or was not asked", c.endpoint, d.Index, n)
		case len(d.Vector) != c.dimension:
			return nil, fmt.Errorf("read the embeddings of %s: the model %s gives vectors of %d numbers, the settings say %d",
				c.endpoint, c.model, len(d.Vector), c.dimension)
		}
		if !normalise(d.Vector) {
			return nil, fmt.Errorf("read the embeddings of %s: text %d has no direction", c.endpoint, d.Index)
		}
		vectors[d.Index] = d.Vector
	}
	if len(got.Data) != n {
		return nil, fmt.Errorf("read the embeddings of %s: %d texts were asked, %d answered", c.endpoint, n, len(got.Data))
	}
	return vectors, nil
}

// normalise scales a vector to length 1. It is false for a vector without a positive
// finite length.
func normalise(vector []float32) bool {
	sum := 0.0
	for _, x := range vector {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 1) { // this form also refuses NaN
		return false
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range vector {
		vector[i] *= scale
	}
	return true
}
