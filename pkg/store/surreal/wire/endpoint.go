package wire

// Endpoint is the address of a SurrealDB server, with credentials.
type Endpoint struct {
	// URL has the scheme ws, wss, http or https, with or without a final /rpc. SurrealDB serves its WebSocket on the
	// port of HTTP, so http means ws and https means wss.
	URL string
	// User and Pass sign in as a root user or, if the server refuses, as a user of the namespace or the database.
	User, Pass string
	// Token is used instead of User and Pass if it is set.
	Token string
	// CAFile is a PEM file of the certificate authorities for the server's certificate. Empty means the system's authorities.
	CAFile string
}
