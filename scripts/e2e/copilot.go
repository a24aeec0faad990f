package e2e

import (
	"context"
	"fmt"
	"path/filepath"
)

// copilotClient is the directory in which npm installs the pinned Copilot CLI.
const copilotClient = "client-copilot"

// CopilotBinary finds the installed Copilot CLI for this machine. It needs no Node.
func CopilotBinary() (string, error) {
	for _, found := range must(filepath.Glob(filepath.Join(copilotClient, "node_modules", "@github", "copilot-*", "copilot*"))) {
		return filepath.Abs(found)
	}
	return "", fmt.Errorf("the pinned Copilot CLI is not installed: run npm ci in scripts/e2e/%s", copilotClient)
}

// Copilot is the same user's Copilot CLI. Its model has an API of its own kind: the one that Claude Code has.
type Copilot struct {
	api *FakeAPI
	otherClient
}

// NewCopilot gives a user a Copilot CLI whose model is the fake one.
func NewCopilot(u *User, api *FakeAPI) *Copilot {
	u.t.Helper()
	c := &Copilot{api, otherClient{
		name: "copilot", dir: filepath.Join(u.Home, ".copilot"), user: u, program: []string{must(CopilotBinary())},
		env: []string{
			"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_PROVIDER_TYPE=anthropic",
			"COPILOT_PROVIDER_BASE_URL=" + api.URL(),
			"COPILOT_PROVIDER_API_KEY=" + DummyKey, "COPILOT_MODEL=claude-sonnet-4.5",
		},
	}}
	c.configure("mcp-config.json", "{\"mcpServers\": {\n}}\n")
	return c
}

// Exec is one headless session with one prompt.
func (c *Copilot) Exec(ctx context.Context, prompt string) error {
	return c.run(ctx, "--allow-all", "-p", prompt)
}

// Injected returns the memory blocks before the model in the first request with a prompt.
func (c *Copilot) Injected(prompt string) []string { return toldTo(c.api, prompt) }
