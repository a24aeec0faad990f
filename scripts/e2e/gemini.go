package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// geminiClient is the directory in which npm installs the pinned Gemini CLI.
const geminiClient = "client-gemini"

// GeminiProgram finds the installed Gemini CLI, which Node runs.
func GeminiProgram() (string, error) {
	program := must(filepath.Abs(filepath.Join(geminiClient, "node_modules", "@google", "gemini-cli", "bundle", "gemini.js")))
	if _, err := os.Stat(program); err != nil {
		return "", fmt.Errorf("the pinned Gemini CLI is not installed: run npm ci in scripts/e2e/%s", geminiClient)
	}
	return program, nil
}

// Gemini is the same user's Gemini CLI.
type Gemini struct {
	api *FakeGemini
	otherClient
}

// NewGemini gives a user a Gemini CLI whose model is the fake one.
func NewGemini(u *User, api *FakeGemini) *Gemini {
	u.t.Helper()
	g := &Gemini{api, otherClient{
		name: "gemini", dir: filepath.Join(u.Home, ".gemini"), user: u, program: []string{"node", must(GeminiProgram())},
		env: []string{"GEMINI_API_KEY=" + DummyKey, "GOOGLE_GEMINI_BASE_URL=" + api.URL(), "GEMINI_CLI_TRUST_WORKSPACE=true"},
	}}
	g.configure("settings.json",
		"{\"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}},\n  \"general\": {\"enableAutoUpdate\": false}}\n")
	return g
}

// Exec is one headless session with one prompt.
func (g *Gemini) Exec(ctx context.Context, prompt string) error {
	return g.run(ctx, "--yolo", "-p", prompt)
}

// Injected returns the memory blocks before the model in the first request with a prompt.
func (g *Gemini) Injected(prompt string) []string {
	requests := g.api.RequestsWith(prompt)
	if len(requests) == 0 {
		return nil
	}
	return requests[0].MemoryBlocks()
}
