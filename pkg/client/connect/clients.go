package connect

// All are the clients that can be connected.
func All(env Env) []Client {
	return []Client{codexClient(env), geminiClient(env), copilotClient(env), opencodeClient(env), cursorClient(env)}
}

// Named finds a client.
func Named(env Env, name string) (Client, bool) {
	for _, c := range All(env) {
		if c.Name == name {
			return c, true
		}
	}
	return Client{}, false
}
