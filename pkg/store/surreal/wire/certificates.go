package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
)

// ErrCertificates: the certificate file is unusable, or the server's certificate is not trusted.
var ErrCertificates = errors.New("the certificates of the connection to SurrealDB do not fit")

// certificates returns the TLS settings for a WebSocket URL; nil: the connection is not encrypted. The endpoint's file
// is read at each connect, because it may be replaced in place.
func (e Endpoint) certificates(target *url.URL) (*tls.Config, error) {
	if target.Scheme != "wss" {
		if e.CAFile != "" {
			return nil, fmt.Errorf("%w: store.ca_file is set, and the connection is not encrypted: write store.url (SURREAL_URL) with wss:// or https://", ErrCertificates)
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
	return config, nil
}

// refusedCertificate adds the remedy to an error of the handshake that a certificate caused.
func refusedCertificate(err error) error {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &unknown):
		return fmt.Errorf("%w: %w: name the file of that authority in store.ca_file (SURREAL_CA_FILE)", ErrCertificates, err)
	case errors.As(err, &name), errors.As(err, &invalid):
		return fmt.Errorf("%w: %w: the server needs another certificate", ErrCertificates, err)
	}
	return err
}
