//go:build unix

package daemon_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// TestASpoolNamedByAHookIsEmptied is about a hook whose environment names another folder for fallback spools than the daemon's.
func TestASpoolNamedByAHookIsEmptied(t *testing.T) {
	r := daemontest.Serve(t, daemontest.Ready)
	named, other := fallback(t, r), spool.New(filepath.Join(t.TempDir(), "spool"))
	daemontest.Put(t, named, daemontest.Prompt(1, "one"))
	daemontest.Put(t, other, daemontest.Prompt(2, "two"))
	for _, s := range []*spool.Spool{other, named} {
		musttest.Get(daemonapi.MethodSpooled.Ask(t.Context(), r.Send, daemonapi.SpooledParams{Spool: s.Dir()}))(t)
	}
	musttest.Get(daemonapi.MethodIngest.Ask(t.Context(), r.Send, daemonapi.None{}))(t)
	if left, err := named.Counts(); err != nil || left != (spool.Counts{}) {
		t.Errorf("the spool still has %+v, %v", left, err)
	}
	if left, err := other.Counts(); err != nil || left.New != 1 {
		t.Errorf("a spool that is none of this home's has %+v, %v; want its event", left, err)
	}
}

// fallback returns a fallback spool of the daemon's home, as a hook with another HOME names it.
func fallback(t *testing.T, r *daemontest.Running) *spool.Spool {
	t.Helper()
	env := map[string]string{"MEMORY_HOME": r.Daemon.Layout.Home, "HOME": t.TempDir()}
	return spool.New(paths.FromEnv(func(name string) string { return env[name] }).FallbackSpools()[0])
}

// TestARefusedSpoolHoldsUpNoOther has a spool that others may write to come first.
func TestARefusedSpoolHoldsUpNoOther(t *testing.T) {
	r := daemontest.Serve(t, daemontest.Ready)
	refused, good := fallback(t, r), fallback(t, r)
	daemontest.Put(t, refused, daemontest.Prompt(1, "one"))
	musttest.Do(t, os.Chmod(refused.Dir(), 0o777))
	daemontest.Put(t, good, daemontest.Prompt(2, "two"))
	for _, s := range []*spool.Spool{refused, good} {
		musttest.Get(daemonapi.MethodSpooled.Ask(t.Context(), r.Send, daemonapi.SpooledParams{Spool: s.Dir()}))(t)
	}
	musttest.Get(daemonapi.MethodIngest.Ask(t.Context(), r.Send, daemonapi.None{}))(t)
	if left, err := good.Counts(); err != nil || left != (spool.Counts{}) {
		t.Errorf("the good spool still has %+v, %v", left, err)
	}
	musttest.Is(t, spool.ErrRefused, musttest.Err(refused.Counts()), "the open spool")
	if left, err := os.ReadDir(filepath.Join(refused.Dir(), "new")); err != nil || len(left) != 1 {
		t.Errorf("the open spool has %d events, %v; want the one, untouched", len(left), err)
	}
}
