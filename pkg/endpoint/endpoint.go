// Package endpoint owns the conditions for the address of a model's endpoint before a
// text or a key is sent there, and the client that sends it. It refuses to know the
// requests, and which texts need a secure endpoint.
package endpoint

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Endpoint is the address of an OpenAI-compatible API, such as
// http://localhost:11434/v1.
type Endpoint struct {
	Host   string // with its port, if the address has one
	Secure bool   // https, or on this machine: nobody else can read along

	base string
}

// Parse reads an address. It must be http or https, and name a host.
func Parse(address string) (Endpoint, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return Endpoint{}, fmt.Errorf("%q is no http or https address", address)
	}
	return Endpoint{
		Host: parsed.Host, Secure: parsed.Scheme == "https" || isLoopback(parsed.Hostname()),
		base: strings.TrimRight(address, "/"),
	}, nil
}

// URL is the address of a method of the API, such as "/embeddings".
func (e Endpoint) URL(method string) string { return e.base + method }

// Client makes a client that follows no redirect: the address behind one was not
// checked.
func Client() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
