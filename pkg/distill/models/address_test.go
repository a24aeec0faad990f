package models

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestAnAddressIsSecureByHTTPSOrOnThisMachine(t *testing.T) {
	for address, secure := range map[string]bool{
		"https://example.com/v1": true, "http://localhost:1/v1": true, "http://127.0.0.1:1": true, "http://[::1]:1": true,
		"http://example.com/v1": false, "http://10.0.0.1": false, "http://localhost.example.com": false,
	} {
		if _, err := NewEndpoint(address, "m", ""); errors.Is(err, errInsecure) == secure || secure && err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"", "example.com/v1", "ftp://localhost", "http://", "http://a b"} {
		if e, err := NewEndpoint(address, "m", ""); err == nil || errors.Is(err, errInsecure) {
			t.Errorf("%q is taken as %+v, %v", address, e, err)
		}
	}
}

func TestMethodsAreBelowTheAddress(t *testing.T) {
	e, err := NewEndpoint("http://localhost:11434/v1/", "m", "")
	if err != nil || e.address != "http://localhost:11434/v1/chat/completions" {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestNoRedirectIsFollowed(t *testing.T) {
	server := httptest.NewServer(http.RedirectHandler("http://192.0.2.1/", http.StatusFound))
	t.Cleanup(server.Close)
	e := musttest.Get(NewEndpoint(server.URL, "m", ""))(t)
	request := musttest.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil))(t)
	response := musttest.Get(e.http.Do(request))(t)
	if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusFound {
		t.Errorf("answered %s, %v", response.Status, err)
	}
}
