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
	Host   string // with its port, if the address has one
	Secure bool   // https, or on this machine: nobody else can read along
	Chat   string // of the method that answers a conversation
}

// parseAddress reads an address. It must be http or https, and name a host.
func parseAddress(text string) (address, error) {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return address{}, fmt.Errorf("%q is no http or https address", text)
	}
	return address{
		Host: parsed.Host, Secure: parsed.Scheme == "https" || isLoopback(parsed.Hostname()),
		Chat: strings.TrimRight(text, "/") + "/chat/completions",
	}, nil
}

// httpClient makes a client that follows no redirect: the address behind one was not
// checked.
func httpClient() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
