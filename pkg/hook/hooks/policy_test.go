package hooks_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// The purpose of a command decides whether its success is stored, unless it failed before: its
// fix is worth storing, whatever the command.
func TestASuccessAfterAFailureIsKept(t *testing.T) {
	const serve = "bin/serve out"
	ok, failed := bash(serve, "a"), bashFailure(serve, "Exit code 2\nno database", false)
	elsewhere := bash(serve, "a")
	elsewhere["session_id"] = "00000000-0000-4000-8000-0000000000bb"
	background := toolUse("Bash", fields{"command": serve, "run_in_background": true}, fields{"backgroundTaskId": "b1"})
	interrupted := toolUse("Bash", fields{"command": serve}, fields{"interrupted": true})
	const succeeded, commandFailed, used = "command_succeeded", "command_failed", "tool_used"
	for name, c := range map[string]struct {
		inputs []fields
		want   []string
	}{
		"without failure":                {[]fields{ok}, nil},
		"after failure":                  {[]fields{failed, ok}, []string{commandFailed, succeeded}},
		"once":                           {[]fields{failed, ok, ok}, []string{commandFailed, succeeded}},
		"after two failures":             {[]fields{failed, failed, ok, ok}, []string{commandFailed, commandFailed, succeeded}},
		"failed again":                   {[]fields{failed, ok, failed, ok}, []string{commandFailed, succeeded, commandFailed, succeeded}},
		"a possible fix":                 {[]fields{failed, bash("./initdb.sh", "a"), ok, bash("./initdb.sh", "a")}, []string{commandFailed, succeeded, succeeded}},
		"commands that only look around": {[]fields{failed, bash("ls -la in", "a"), bashFailure("ls x", "Exit code 2", false), bashFailure("pgrep -f x", "Exit code 1", false)}, []string{commandFailed}},
		"an exit code of another":        {[]fields{failed, bash(serve+" | tail -3", "a"), bash(serve+" || true", "a"), ok, ok}, []string{commandFailed, succeeded, succeeded, succeeded}},
		"ended by hand":                  {[]fields{bashFailure(serve, "Exit code 130", false), bashFailure("timeout 5 "+serve, "Exit code 124", false), ok}, nil},
		"with a variable":                {[]fields{failed, bash("A=1 "+serve, "a"), bash("bin/other", "a")}, []string{commandFailed, succeeded}},
		"refused":                        {[]fields{bashFailure(serve, "Permission to use Bash with command bin/serve has been denied.", false), ok}, nil},
		"from another directory":         {[]fields{failed, bash("cd /elsewhere && "+serve, "a")}, []string{commandFailed, succeeded}},
		"in another session":             {[]fields{failed, elsewhere}, []string{commandFailed}},
		"started in background":          {[]fields{failed, background, ok}, []string{commandFailed, used, succeeded}},
		"interrupted":                    {[]fields{failed, interrupted, ok}, []string{commandFailed, used, succeeded}},
		"the user interrupted":           {[]fields{bashFailure(serve, "killed", true), ok}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			startDaemon(t, w, "")
			var got []string
			for i, input := range c.inputs {
				before := kindsOf(t, w)
				if out := runInProcess(t, w, toJSON(t, input)); len(out.Log) > 0 {
					t.Fatalf("input %d: %q", i, out.Log)
				}
				for kind, n := range kindsOf(t, w) {
					if n > before[kind] {
						got = append(got, kind)
					}
				}
			}
			musttest.Same(t, c.want, got, "(-want +got)")
		})
	}
}

// kindsOf counts the events that were spooled.
func kindsOf(t *testing.T, w *world) map[string]int {
	t.Helper()
	kinds := map[string]int{}
	for _, e := range w.spooled(t) {
		kinds[e["kind"].(string)]++
	}
	return kinds
}
