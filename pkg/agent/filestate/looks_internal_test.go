package filestate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestAFileSystemThatHangsIsNotWaitedFor has one below which no call returns, and one that answers.
func TestAFileSystemThatHangsIsNotWaitedFor(t *testing.T) {
	well := t.TempDir()
	if err := os.WriteFile(filepath.Join(well, "a.go"), []byte("package a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		f, answer := New(), make(chan struct{})
		var calls atomic.Int64 // that hang
		f.open = func(root string) (folder, error) {
			if root == well {
				return openRoot(root)
			}
			calls.Add(1)
			<-answer
			return nil, errors.New("the server is gone")
		}
		took := func(look func()) time.Duration {
			begun := time.Now()
			look()
			return time.Since(begun)
		}
		prints := map[string]string{"a.go": "-"}
		if got := took(func() { f.Fingerprints("/net/0", []string{"a.go"}, time.Now()) }); got != lookLimit {
			t.Errorf("the first look took %v, want %v", got, lookLimit)
		}
		for range 3 {
			if got := took(func() { f.Fingerprints("/net/0", []string{"a.go"}, time.Now()) }); got != 0 {
				t.Errorf("the next look at the same place took %v, want none", got)
			}
			if got := took(func() { f.HaveChanged(t.Context(), "/net/0", prints) }); got != 0 {
				t.Errorf("comparing its files took %v, want none", got)
			}
		}
		if got := f.Fingerprints(well, []string{"a.go"}, time.Now().AddDate(100, 0, 0)); len(got) != 1 {
			t.Errorf("elsewhere there are fingerprints %v", got)
		}
		for n := range 2 * mostLooks {
			f.HaveChanged(t.Context(), fmt.Sprintf("/net/%d", n+1), prints)
		}
		if n := calls.Load(); n != mostLooks {
			t.Errorf("%d calls hang, want %d at most", n, mostLooks)
		}
		close(answer)
		synctest.Wait()
		if got := f.Fingerprints(well, []string{"a.go"}, time.Now().AddDate(100, 0, 0)); len(got) != 1 {
			t.Errorf("after it answers there are fingerprints %v", got)
		}
		synctest.Wait()
		if f.looks.underWay != 0 || len(f.looks.left) != 0 {
			t.Errorf("%d looks are under way and %v left behind, want none", f.looks.underWay, f.looks.left)
		}
	})
}
