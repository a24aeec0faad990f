package wire

// Endpoint is the address of a SurrealDB server with the credentials for it.
type Endpoint struct {
	// URL has scheme ws, wss, http or https, with or without a trailing /rpc. http and https URLs are used with their
	// WebSocket, which SurrealDB serves on the same port.
	URL string
	// User and Pass sign in as a root user or, if the server refuses that, as a user of the namespace or database.
	User, Pass string
	// Token is used instead of User and Pass when it is set.
	Token string
	// CAFile has the certificates, in PEM, of the authorities for the server's certificate; empty: those of the system.
	CAFile string
}
