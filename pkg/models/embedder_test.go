package models

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// serve starts an endpoint with this handler and returns its address.
func serve(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func client(t *testing.T, endpoint, key string) *Embedder {
	t.Helper()
	c, err := NewEmbedder(endpoint, "small", 2, key)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEmbedAsksAndSorts(t *testing.T) {
	var asked map[string]any
	var header http.Header
	var path string
	endpoint := serve(t, func(w http.ResponseWriter, r *http.Request) {
		path, header = r.URL.Path, r.Header
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		_, _ = w.Write([]byte(`{"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,4]}],"model":"small"}`))
	})
	got, err := client(t, endpoint+"/", "not-a-real-key").Embed(t.Context(), []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float32{{0.6, 0.8}, {0, 1}}, got); diff != "" {
		t.Errorf("vectors (-want +got):\n%s", diff)
	}
	want := map[string]any{"model": "small", "input": []any{"a", "b"}, "encoding_format": "float"}
	if diff := cmp.Diff(want, asked); diff != "" || path != "/v1/embeddings" || header.Get("Authorization") != "Bearer not-a-real-key" {
		t.Errorf("asked %s with %v (-want +got):\n%s", path, header, diff)
	}
	if got, err := client(t, "http://127.0.0.1:1", "").Embed(t.Context(), nil); got != nil || err != nil {
		t.Errorf("no texts: %v, %v", got, err)
	}
}

func TestEmbedRefusesBadAnswers(t *testing.T) {
	for says, answer := range map[string]string{
		"the settings say 2":        `{"data":[{"index":0,"embedding":[1,2,3]}]}`,
		"1 texts were asked, 0":     `{"data":[]}`,
		"answered twice or was not": `{"data":[{"index":7,"embedding":[1,2]}]}`,
		"no direction":              `{"data":[{"index":0,"embedding":[0,0]}]}`,
		"invalid character":         `<html>`,
	} {
		endpoint := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(answer)) })
		if _, err := client(t, endpoint, "").Embed(t.Context(), []string{"a"}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want one with %q", answer, err, says)
		}
	}
	broken := serve(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such model", http.StatusNotFound) })
	if _, err := client(t, broken, "").Embed(t.Context(), []string{"a"}); err == nil || !strings.Contains(err.Error(), "no such model") {
		t.Errorf("error %v", err)
	}
	elsewhere := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://example.com", http.StatusTemporaryRedirect)
	})
	if _, err := client(t, elsewhere, "not-a-real-key").Embed(t.Context(), []string{"a"}); err == nil || !strings.Contains(err.Error(), "307") {
		t.Errorf("a redirect: error %v", err)
	}
}

func TestEmbedWaitsNoLongerThanItsContext(t *testing.T) {
	release := make(chan struct{})
	endpoint := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := client(t, endpoint, "").Embed(ctx, []string{"a"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the deadline", err)
	}
}

func TestNewRefuses(t *testing.T) {
	for endpoint, key := range map[string]string{
		"ftp://example.com": "", "example.com/v1": "", "": "", "http://example.com/v1": "not-a-real-key", "http://10.0.0.1": "not-a-real-key",
	} {
		if _, err := NewEmbedder(endpoint, "small", 2, key); err == nil {
			t.Errorf("%q is taken", endpoint)
		}
	}
	for _, endpoint := range []string{"http://localhost:1/v1", "http://127.0.0.1:1", "http://[::1]:1", "https://example.com/v1"} {
		if _, err := NewEmbedder(endpoint, "small", 2, "not-a-real-key"); err != nil {
			t.Errorf("%q: %v", endpoint, err)
		}
	}
	if _, err := NewEmbedder("http://example.com/v1", "small", 2, "not-a-real-key"); !errors.Is(err, errInsecureKey) {
		t.Errorf("error %v, want %v", err, errInsecureKey)
	}
	if _, err := NewEmbedder("http://localhost", "", 2, ""); err == nil {
		t.Error("no model is taken")
	}
	if _, err := NewEmbedder("http://localhost", "small", 0, ""); err == nil {
		t.Error("no dimension is taken")
	}
}
