package wire

// Endpoint is where a SurrealDB server listens and how to sign in there.
type Endpoint struct {
	// URL has scheme ws, wss, http or https, with or without a trailing /rpc. http and https are spoken to over their
	// WebSocket, which SurrealDB serves on the same port.
	URL string
	// User and Pass sign in as a root user or, where the server refuses that, as a user of the namespace or of the
	// database.
	User, Pass string
	// Token is used instead of User and Pass when it is set.
	Token string
	// CAFile has the certificates, in PEM, of those who may have signed the server's; empty: those that the system
	// trusts. CertFile and KeyFile, both or neither, have the certificate that is shown to a server that asks for one.
	CAFile, CertFile, KeyFile string
}
