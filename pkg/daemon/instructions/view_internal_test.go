package instructions

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestAFileSystemThatHangsDelaysOneAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memory.Memory{ID: "m", Content: "use tabs"}
		hung := make(chan struct{})
		looks := 0
		x := New("", time.Now)
		x.scan = func(_ place, before []file) []file {
			if looks++; looks == 2 {
				<-hung
			}
			return append(before, file{name: "CLAUDE.md", contents: contents{cores: coresOf(m.Content)}})
		}
		name := func() string { return x.FileFinder(t.Context(), "", "/root")(m) }
		for i, want := range []time.Duration{0, lookTime, 0, 0} {
			time.Sleep(lookEvery) // of the bubble's clock
			began := time.Now()
			musttest.Same(t, "CLAUDE.md", name(), "answer %d (-want +got)", i)
			musttest.Same(t, want, time.Since(began), "answer %d took", i)
		}
		close(hung)
		synctest.Wait()
		musttest.Same(t, 2, looks, "how many looks")
		time.Sleep(lookEvery)
		if name(); looks != 3 {
			t.Errorf("%d looks, want another one after that which hung", looks)
		}
	})
}

func TestAPlaceIsLookedAtOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := map[string]int{}
		x := New("", time.Now)
		x.scan = func(where place, before []file) []file { looks[where.root+where.client]++; return before }
		for range 10 {
			x.FileFinder(t.Context(), "", "/root")
			x.FileFinder(t.Context(), "codex", "/root")
			time.Sleep(lookEvery / 4) // of the bubble's clock
		}
		if looks["/root"] != 3 || looks["/rootcodex"] != 3 {
			t.Errorf("looks within 2.5 seconds: %v, want 3 at each place", looks)
		}
		if find := x.FileFinder(t.Context(), "", "relative"); find != nil || looks["relative"] != 0 {
			t.Error("a relative root was looked at")
		}
	})
}
