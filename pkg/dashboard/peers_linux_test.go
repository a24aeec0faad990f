package dashboard

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"testing"
)

// table is of a machine that writes the lowest byte of a number first.
const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1626 1 0000 100 0 0 10 0
   1: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 1700 1 0000 20 4 30 10 -1
   2: 0100007F:9C40 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 1701 1 0000 20 4 30 10 -1
   3: 0100007F:9C41 0100007F:1F90 05 00000000:00000000 00:00000000 00000000     0        0 0 1 0000 20 4 30 10 -1
   4: 0100007F:9C42 0100007F:1F90 06 00000000:00000000 03:00000F8B 00000000     0        0 0 3 0000
   5: 0100007F:9C43 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 0 1 0000 20 4 30 10 -1
   6: 0000000000000000FFFF00000100007F:9C44 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000  1002        0 1702 1 0000 20 4 30 10 -1
   7: 00000000000000000000000001000000:9C45 00000000000000000000000001000000:1F90 01 00000000:00000000 00:00000000 00000000  1003        0 1703 1 0000 20 4 30 10 -1
   8: 0100007F:9C46
`

// TestTheClientsEndSaysItsUser: not the server's, and not one that nobody holds any more,
// which stands there as root's.
func TestTheClientsEndSaysItsUser(t *testing.T) {
	if runtime.GOARCH == "s390x" || runtime.GOARCH == "ppc64" {
		t.Skip("the table is of a machine with another order of bytes")
	}
	for client, want := range map[string]int{
		"127.0.0.1:40000": 1001, "127.0.0.1:40004": 1002, "[::1]:40005": 1003,
		"127.0.0.1:40001": -1, "127.0.0.1:40002": -1, "127.0.0.1:40003": -1, "127.0.0.1:40006": -1, "127.0.0.2:40000": -1, "127.0.0.1:8080": -1,
	} {
		server := "127.0.0.1:8080"
		if client[0] == '[' {
			server = "[::1]:8080"
		}
		got, err := userIn(strings.NewReader(table), netip.MustParseAddrPort(client), netip.MustParseAddrPort(server))
		if want < 0 && !errors.Is(err, errNobody) || want >= 0 && (err != nil || got != want) {
			t.Errorf("%s is user %d's, %v; want %d", client, got, err, want)
		}
	}
}

// says are the ways in which this system says whose process connects.
var says = map[string]func(client, server netip.AddrPort) (int, error){"the kernel": systemUser, "its tables": userInTables}

// TestTheSystemSaysWhoConnects: this process is this user's; one that has left is nobody's.
func TestTheSystemSaysWhoConnects(t *testing.T) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	client, err := net.Dial("tcp4", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	from, to := netip.MustParseAddrPort(client.LocalAddr().String()), netip.MustParseAddrPort(listener.Addr().String())
	for name, say := range says {
		user, err := say(from, to)
		if err != nil || user != os.Geteuid() {
			t.Errorf("by %s this process is user %d's, %v", name, user, err)
		}
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	for name, say := range says {
		if user, err := say(from, to); err == nil {
			t.Errorf("by %s a process that has left is user %d's", name, user)
		}
	}
}
