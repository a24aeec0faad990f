package models_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const answer = `echo '{"type":"result","structured_output":{"a":1}}'`

// TestNothingOfAClientIsLeft: neither when it was killed nor when it has answered, also of
// a process that has left its process group and its session, or that takes up another
// program just now: it has no environment to be known by until it has done so.
func TestNothingOfAClientIsLeft(t *testing.T) {
	for name, test := range map[string]struct {
		child, end string
		killed     bool
		calls      int // the more, the surer that one is hit in the moment meant
	}{
		"answers":                 {"exec sleep 600", answer, false, 1},
		"hangs":                   {"exec sleep 600", "wait", true, 1},
		"takes up other programs": {`echo 'exec sh "$0"' > "$0"; exec sh "$0"`, answer, false, 30},
	} {
		for call := range test.calls {
			t.Run(name+" "+strconv.Itoa(call+1), func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "pid")
				child := filepath.Join(t.TempDir(), "child")
				text := "echo $$ > " + file + ".new; mv " + file + ".new " + file + "\n" + test.child + "\n"
				if err := os.WriteFile(child, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				c := client(t, `setsid sh `+child+` > /dev/null 2>&1 &
while ! [ -e `+file+` ]; do :; done
`+test.end)
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				if test.killed {
					go func() {
						await(ctx, func() bool { _, err := os.Stat(file); return err == nil })
						cancel()
					}()
				}
				if _, err := c.Ask(ctx, question); (err != nil) != test.killed {
					t.Errorf("%v", err)
				}
				written, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				pid, err := strconv.Atoi(strings.TrimSpace(string(written)))
				if err != nil {
					t.Fatal(err)
				}
				ending, stop := context.WithTimeout(t.Context(), 10*time.Second)
				defer stop()
				if await(ending, func() bool { return !running(pid) }); running(pid) {
					t.Errorf("process %d is left", pid)
				}
			})
		}
	}
}
