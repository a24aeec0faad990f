package runner_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestNothingOfAClientIsLeft: neither when it was killed nor when it has answered, also of
// what has left its process group and its session.
func TestNothingOfAClientIsLeft(t *testing.T) {
	for name, test := range map[string]struct {
		end    string
		killed bool
	}{
		"answers": {`echo '{"type":"result","structured_output":{"a":1}}'`, false},
		"hangs":   {"wait", true},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pid")
			c := client(t, `setsid sh -c 'echo $$ > `+file+`.new; mv `+file+`.new `+file+`; exec sleep 600' > /dev/null 2>&1 &
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
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
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
