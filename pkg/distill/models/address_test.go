package models

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestAnAddressIsSecureByHTTPSOrOnThisMachine(t *testing.T) {
	for address, secure := range map[string]bool{
		"https://example.com/v1": true, "http://localhost:1/v1": true, "http://127.0.0.1:1": true, "http://[::1]:1": true,
		"http://example.com/v1": false, "http://10.0.0.1": false, "http://localhost.example.com": false,
	} {
		e, err := parseAddress(address)
		if err != nil || e.Secure != secure {
			t.Errorf("%s: %+v, %v", address, e, err)
		}
	}
	for _, address := range []string{"", "example.com/v1", "ftp://localhost", "http://", "http://a b"} {
		if e, err := parseAddress(address); err == nil {
			t.Errorf("%q is taken as %+v", address, e)
		}
	}
}

func TestMethodsAreBelowTheAddress(t *testing.T) {
	e, err := parseAddress("http://localhost:11434/v1/")
	if err != nil || e.Host != "localhost:11434" || e.Chat != "http://localhost:11434/v1/chat/completions" {
		t.Errorf("%+v, %v: %s", e, err, e.Chat)
	}
}

func TestNoRedirectIsFollowed(t *testing.T) {
	server := httptest.NewServer(http.RedirectHandler("http://192.0.2.1/", http.StatusFound))
	t.Cleanup(server.Close)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := httpClient().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusFound {
		t.Errorf("answered %s, %v", response.Status, err)
	}
}
