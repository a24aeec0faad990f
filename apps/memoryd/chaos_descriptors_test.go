//go:build linux

package main

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"
	"unsafe"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

var descriptorFaults = []fault{
	{"no descriptor free in the daemon (EMFILE), and 200 idle connections to the dashboard", inFull(5), takeDescriptors},
}

// takeDescriptors has the daemon open no further file, socket or connection, while hooks come and connections wait for
// the pages. It must still be the same daemon in the end.
func takeDescriptors(t *testing.T, c *chaos, runs int) {
	a := c.start(t)
	pid := c.awaitReady(t).PID
	at := c.dashboard(t)
	for range runs {
		var idle []net.Conn
		for range 200 {
			conn := musttest.Get(net.Dial("tcp4", at))(t)
			idle = append(idle, conn)
		}
		most := limitDescriptors(t, pid, openDescriptors(t, pid))
		c.prompts(t, 10)
		limitDescriptors(t, pid, most)
		for _, conn := range idle {
			_ = conn.Close()
		}
		c.prompts(t, 10)
		c.isStored(t)
	}
	if status, err := c.status(t); err != nil || status.PID != pid {
		t.Errorf("the daemon is %d, %v; it was %d", status.PID, err, pid)
	}
	a.stop(t)
}

// dashboard has the pages served and returns their host and port.
func (c *chaos) dashboard(t *testing.T) string {
	t.Helper()
	client := musttest.Get(daemonclient.Dial(t.Context(), c.layout.Socket()))(t)
	defer func() { _ = client.Close() }()
	var opened daemonapi.DashboardResult
	musttest.Do(t, client.Call(t.Context(), daemonapi.MethodDashboard.Call(daemonapi.DashboardParams{}, &opened)))
	return musttest.Get(url.Parse(opened.URL))(t).Host
}

func openDescriptors(t *testing.T, pid int) uint64 {
	t.Helper()
	open := musttest.Get(os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid)))(t)
	return uint64(len(open))
}

// limitDescriptors sets how many a process may have, and returns the limit before.
func limitDescriptors(t *testing.T, pid int, most uint64) uint64 {
	t.Helper()
	var before syscall.Rlimit
	if _, _, code := syscall.Syscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_NOFILE, 0, uintptr(unsafe.Pointer(&before)), 0, 0); code != 0 {
		t.Fatal(code)
	}
	next := syscall.Rlimit{Cur: most, Max: before.Max}
	if _, _, code := syscall.Syscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_NOFILE, uintptr(unsafe.Pointer(&next)), 0, 0, 0); code != 0 {
		t.Fatal(code)
	}
	return before.Cur
}
