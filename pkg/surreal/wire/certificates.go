package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"
)

// ErrCertificates: the certificate files are unusable, or the server's certificate is not trusted.
var ErrCertificates = errors.New("the certificates of the connection to SurrealDB do not fit")

// certificates returns the TLS settings for a WebSocket URL; nil: the connection is not encrypted. The endpoint's files
// are read at each connect, because short-lived certificates are replaced in place.
func (e Endpoint) certificates(target *url.URL, now time.Time) (*tls.Config, error) {
	if target.Scheme != "wss" {
		if e.CAFile+e.CertFile+e.KeyFile != "" {
			return nil, fmt.Errorf("%w: they are set, and the connection is not encrypted: write store.url (SURREAL_URL) with wss:// or https://", ErrCertificates)
		}
		return nil, nil
	}
	config := &tls.Config{ServerName: target.Hostname(), MinVersion: tls.VersionTLS12}
	if e.CAFile != "" {
		text, err := os.ReadFile(e.CAFile)
		if err != nil {
			return nil, fmt.Errorf("%w: read store.ca_file (SURREAL_CA_FILE): %w", ErrCertificates, err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%w: store.ca_file (SURREAL_CA_FILE) %s holds no certificate in PEM (-----BEGIN CERTIFICATE-----)", ErrCertificates, e.CAFile)
		}
	}
	switch {
	case e.CertFile == "" && e.KeyFile == "":
		return config, nil
	case e.CertFile == "" || e.KeyFile == "":
		return nil, fmt.Errorf("%w: store.client_cert (SURREAL_CLIENT_CERT) and store.client_key (SURREAL_CLIENT_KEY) go together, and one of them is not set", ErrCertificates)
	}
	own, err := tls.LoadX509KeyPair(e.CertFile, e.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("%w: use store.client_cert (SURREAL_CLIENT_CERT) %s with store.client_key (SURREAL_CLIENT_KEY) %s: %w", ErrCertificates, e.CertFile, e.KeyFile, err)
	}
	if end := own.Leaf.NotAfter; now.After(end) {
		return nil, fmt.Errorf("%w: store.client_cert (SURREAL_CLIENT_CERT) %s has expired on %s: put a new one in its place", ErrCertificates, e.CertFile, end.Format(time.DateOnly))
	}
	config.Certificates = []tls.Certificate{own}
	return config, nil
}

// refusedCertificate adds the remedy to an error of the handshake that a certificate caused.
func refusedCertificate(err error) error {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var alert *net.OpError
	switch {
	case errors.As(err, &unknown):
		return fmt.Errorf("%w: %w: name the file of that authority in store.ca_file (SURREAL_CA_FILE)", ErrCertificates, err)
	case errors.As(err, &name), errors.As(err, &invalid):
		return fmt.Errorf("%w: %w: the server needs another certificate", ErrCertificates, err)
	case errors.As(err, &alert) && alert.Op == "remote error": // an alert of TLS
		return fmt.Errorf("%w: the server refuses the connection (%w): does it ask for a certificate, store.client_cert and store.client_key?", ErrCertificates, err)
	}
	return err
}
