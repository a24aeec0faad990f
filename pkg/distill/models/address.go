package models

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// address is the address of an OpenAI-compatible API, such as
// http://localhost:11434/v1.
type address struct {
	Host   string // with the port, if any
	Secure bool   // https or this machine, so that nobody else can read the traffic
	Chat   string // URL of the method that answers a conversation
}

// parseAddress parses an address. It fails unless the scheme is http or https and there is a host.
func parseAddress(text string) (address, error) {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return address{}, fmt.Errorf("%q is not an http or https address", text)
	}
	return address{
		Host: parsed.Host, Secure: parsed.Scheme == "https" || isLoopback(parsed.Hostname()),
		Chat: strings.TrimRight(text, "/") + "/chat/completions",
	}, nil
}

// httpClient returns a client that does not follow redirects, because their addresses were not checked.
func httpClient() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
