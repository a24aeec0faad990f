package e2e

import (
	"context"
	"fmt"
	"path/filepath"
)

// openCodeClient is the directory in which npm installs the pinned OpenCode.
const openCodeClient = "client-opencode"

// OpenCodeBinary finds the installed OpenCode, the one for every processor.
func OpenCodeBinary() (string, error) {
	for _, found := range must(filepath.Glob(filepath.Join(openCodeClient, "node_modules", "opencode-*-*", "bin", "opencode*"))) {
		return filepath.Abs(found)
	}
	return "", fmt.Errorf("the pinned OpenCode is not installed: run npm ci in scripts/e2e/%s", openCodeClient)
}

// OpenCode is the same user's OpenCode. Its model has an API of its own, of the kind that Claude Code has.
type OpenCode struct {
	api *FakeAPI
	otherClient
}

// NewOpenCode gives a user an OpenCode whose model is the fake one.
func NewOpenCode(u *User, api *FakeAPI) *OpenCode {
	u.t.Helper()
	o := &OpenCode{api, otherClient{
		name: "opencode", dir: filepath.Join(u.Home, ".config", "opencode"), user: u,
		program: []string{must(OpenCodeBinary()), "run"},
		// It asks npm for the types that plugins are written with, without need: here nobody answers.
		env: []string{
			"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1",
			"npm_config_registry=http://127.0.0.1:9/", "npm_config_fetch_retries=0",
		},
	}}
	o.configure("opencode.json",
		fmt.Sprintf("{ // mine\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"provider\": {\"anthropic\": {\"options\": {\"baseURL\": %q, \"apiKey\": %q}}},\n"+
			"  \"model\": \"anthropic/claude-sonnet-4-5\", \"small_model\": \"anthropic/claude-haiku-4-5\", \"autoupdate\": false, \"share\": \"disabled\"\n}\n", api.URL()+"/v1", DummyKey))
	return o
}

// Exec is one headless session with one prompt.
func (o *OpenCode) Exec(ctx context.Context, prompt string) error { return o.run(ctx, prompt) }

// Injected returns the memory blocks before the model in the first request with a prompt that is not for a title.
func (o *OpenCode) Injected(prompt string) []string {
	for _, request := range o.api.RequestsWith(prompt) {
		if len(request.Tools) > 0 {
			return request.MemoryBlocks()
		}
	}
	return nil
}
