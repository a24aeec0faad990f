package dashboard

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strconv"
)

// Peers tells whose processes connect.
type Peers interface {
	// User is the number of the user whose process holds the client's end of a TCP
	// connection. The error is ErrNotTold where the system does not say, and any other
	// where nobody holds that end.
	User(client, server netip.AddrPort) (int, error)
}

// ErrNotTold says that the system does not tell whose process is at the other end of a
// TCP connection.
var ErrNotTold = errors.New("the system does not say whose process it is")

// errNobody says that no process holds the client's end any more: it may have sent a
// request and left, and then its user is not told.
var errNobody = errors.New("no process holds the other end")

// established is the state of a connection that both ends hold, in Linux's table.
const established = "01"

// userIn looks for the client's end in a table of connections as Linux writes it to
// /proc/net/tcp and tcp6.
func userIn(table io.Reader, client, server netip.AddrPort) (int, error) {
	const (
		local, remote, state, user, inode = 1, 2, 3, 7, 9
	)
	from, to := tableNames(client), tableNames(server)
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		field := bytes.Fields(lines.Bytes())
		if len(field) <= inode || !isOneOf(field[local], from) || !isOneOf(field[remote], to) {
			continue
		}
		if string(field[state]) != established || string(field[inode]) == "0" { // its user would read as root
			return 0, errNobody
		}
		number, err := strconv.Atoi(string(field[user]))
		if err != nil {
			return 0, fmt.Errorf("read the user of a connection: %w", err)
		}
		return number, nil
	}
	if err := lines.Err(); err != nil {
		return 0, fmt.Errorf("read the table of connections: %w", err)
	}
	return 0, errNobody
}

// tableNames are an address as Linux's tables write it: each four bytes as a number of
// this machine. An IPv4 address may stand there as IPv6 as well.
func tableNames(at netip.AddrPort) [2]string {
	port := fmt.Sprintf(":%04X", at.Port())
	mapped := at.Addr().As16()
	four := hexWords(mapped[12:])
	if !at.Addr().Unmap().Is4() {
		return [2]string{hexWords(mapped[:]) + port}
	}
	return [2]string{four + port, hexWords(mapped[:]) + port}
}

func hexWords(address []byte) string {
	var out []byte
	for word := range len(address) / 4 {
		out = binary.BigEndian.AppendUint32(out, binary.NativeEndian.Uint32(address[4*word:]))
	}
	return string(bytes.ToUpper([]byte(hex.EncodeToString(out))))
}

func isOneOf(name []byte, names [2]string) bool {
	return string(name) == names[0] || string(name) == names[1]
}
