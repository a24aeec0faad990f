package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
)

// certificates returns the TLS settings for a WebSocket URL, or nil if the connection is not encrypted. It reads the
// file of certificates at each connect, because the file may be replaced.
func certificates(e engine.Endpoint, target *url.URL) (*tls.Config, error) {
	if target.Scheme != "wss" {
		if e.CAFile != "" {
			return nil, fmt.Errorf("TLS to the server failed: store.ca_file is set, but the connection is not encrypted: use wss:// or https:// in store.url")
		}
		return nil, nil
	}
	config := &tls.Config{ServerName: target.Hostname(), MinVersion: tls.VersionTLS12}
	if e.CAFile != "" {
		text, err := os.ReadFile(e.CAFile)
		if err != nil {
			return nil, fmt.Errorf("TLS to the server failed: read store.ca_file: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("TLS to the server failed: store.ca_file %s has no PEM certificate (-----BEGIN CERTIFICATE-----)", e.CAFile)
		}
	}
	return config, nil
}

// refusedCertificate adds the remedy to an error of the TLS handshake about a certificate.
func refusedCertificate(err error) error {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &unknown):
		return fmt.Errorf("TLS to the server failed: %w: set store.ca_file to a file with the authority's certificate", err)
	case errors.As(err, &name), errors.As(err, &invalid):
		return fmt.Errorf("TLS to the server failed: %w: the server needs another certificate", err)
	}
	return err
}
