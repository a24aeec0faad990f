//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

func dump(t *testing.T, api *FakeAPI, from int) {
	for i, r := range api.Requests()[from:] {
		b, _ := json.MarshalIndent(r.Messages, "", " ")
		os.WriteFile(fmt.Sprintf("/tmp/e2ex/%s-req%02d.json", t.Name(), i), b, 0o600)
		fmt.Println("REQ", i, r.Kind, r.Script, r.Step, len(r.Messages), len(r.Tools))
	}
}

func keep(t *testing.T, name string, r Result) {
	for _, p := range []string{r.Stdout, r.Stderr, r.DebugLog} {
		b, _ := os.ReadFile(p)
		ext := map[string]string{r.Stdout: "out", r.Stderr: "err", r.DebugLog: "debug"}[p]
		os.WriteFile(fmt.Sprintf("/tmp/e2ex/%s-%s.%s", t.Name(), name, ext), b, 0o600)
	}
	fmt.Println("RUN", name, r.ExitCode, r.Elapsed, r.SessionID, r.HookNames(), r.Answer)
}

func TestExploreResume(t *testing.T) {
	api := NewFakeAPI(t)
	u := NewUser(t, api)
	one := u.Run(t.Context(), "Remember: the staging database listens on port 6543.")
	keep(t, "one", one)
	two := u.Run(t.Context(), "second prompt")
	keep(t, "two", two)
	three := u.Run(t.Context(), "third prompt", "--continue")
	keep(t, "three", three)
	four := u.Run(t.Context(), "fourth prompt", "--resume", one.SessionID)
	keep(t, "four", four)
	five := u.Run(t.Context(), "fifth prompt", "--resume", one.SessionID, "--fork-session")
	keep(t, "five", five)
	six := u.Run(t.Context(), "/compact", "--continue")
	keep(t, "six", six)
	seven := u.Run(t.Context(), "seventh", "--continue")
	keep(t, "seven", seven)
	eight := u.Run(t.Context(), "/clear", "--continue")
	keep(t, "eight", eight)
	dump(t, api, 0)
}
