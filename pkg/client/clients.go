package client

// All are the clients, in the order in which people are shown them.
func All() []Client { return []Client{codex, gemini, copilot, openCode} }

// Title is a client's name for people; that of one that is not known is its name.
func Title(name string) string {
	if c, known := Named(name); known {
		return c.Title
	}
	return name
}

// Named finds a client.
func Named(name string) (Client, bool) {
	for _, c := range All() {
		if c.Name == name {
			return c, true
		}
	}
	return Client{}, false
}
