package client

// All are the clients, in the order in which people are shown them.
func All() []Client { return []Client{codex, gemini, copilot} }

// Named finds a client.
func Named(name string) (Client, bool) {
	for _, c := range All() {
		if c.Name == name {
			return c, true
		}
	}
	return Client{}, false
}
