package terminal

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestANoticeIsPrintedOnceAfterAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Notice
		var out bytes.Buffer
		wait := func(took time.Duration, line string) {
			end := n.After(t.Context(), time.Minute, &out, func(context.Context) string { return line })
			time.Sleep(took)
			end()
		}
		wait(59*time.Second, "it is too early")
		wait(61*time.Second, "")
		if out.Len() > 0 {
			t.Errorf("printed %q before the pause, or without a text", &out)
		}
		outer := n.After(t.Context(), time.Minute, &out, func(context.Context) string { return "it starts" })
		wait(61*time.Second, "it starts")
		outer()
		wait(time.Hour, "again")
		if got := out.String(); got != "it starts\n" {
			t.Errorf("printed %q, want one line", got)
		}
	})
}
