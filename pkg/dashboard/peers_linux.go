package dashboard

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"strconv"
	"syscall"
)

// systemUser asks the kernel.
func systemUser(client, server netip.AddrPort) (int, error) {
	end, err := socketOf(client, server)
	if err != nil { // nobody has that end, or this kernel does not answer
		if _, err := socketOf(server, netip.AddrPortFrom(netip.IPv4Unspecified(), 0)); err != nil { // the listener is there
			return userInTables(client, server)
		}
		return 0, errNobody
	}
	if !end.isHeld {
		return 0, errNobody
	}
	return end.user, nil
}

// socket is one end of a connection.
type socket struct {
	user   int
	isHeld bool // by a process, and the other end is, too; else its user reads as root
}

// The question for one socket and its answer, as Linux has them: struct nlmsghdr with
// inet_diag_req_v2, and with inet_diag_msg.
const (
	netlinkSockDiag  = 4
	sockDiagByFamily = 20
	header           = 16
	questionBytes    = header + 56
	answerBytes      = header + 72
	isEstablished    = 1
)

// socketOf asks the kernel for the end of a connection with these addresses. That takes the same
// time however many connections there are: a stranger may hold thousands, and the tables of
// all of them take the kernel long to write.
func socketOf(local, remote netip.AddrPort) (socket, error) {
	from, to := local.Addr().Unmap(), remote.Addr().Unmap()
	if !from.Is4() || !to.Is4() {
		return socket{}, errors.New("only sockets of IPv4 are asked for")
	}
	question, answer := make([]byte, questionBytes), make([]byte, 1<<12)
	machine, network := binary.NativeEndian, binary.BigEndian
	machine.PutUint32(question, questionBytes)
	machine.PutUint16(question[4:], sockDiagByFamily)
	machine.PutUint16(question[6:], syscall.NLM_F_REQUEST)
	question[header], question[header+1] = syscall.AF_INET, syscall.IPPROTO_TCP
	machine.PutUint32(question[header+4:], ^uint32(0)) // in any state
	network.PutUint16(question[header+8:], local.Port())
	network.PutUint16(question[header+10:], remote.Port())
	copy(question[header+12:], from.AsSlice())
	copy(question[header+28:], to.AsSlice())
	machine.PutUint64(question[header+48:], ^uint64(0)) // with any cookie

	kernel, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, netlinkSockDiag)
	if err != nil {
		return socket{}, err
	}
	defer func() { _ = syscall.Close(kernel) }()
	_ = syscall.SetsockoptTimeval(kernel, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &syscall.Timeval{Sec: 1}) // it answers at once
	if err := syscall.Sendto(kernel, question, 0, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK}); err != nil {
		return socket{}, err
	}
	size, _, err := syscall.Recvfrom(kernel, answer, 0)
	if err != nil {
		return socket{}, err
	}
	if size < answerBytes || machine.Uint16(answer[4:]) != sockDiagByFamily {
		return socket{}, errors.New("the kernel knows no such socket")
	}
	state, user, inode := answer[header+1], machine.Uint32(answer[header+64:]), machine.Uint32(answer[header+68:])
	return socket{int(user), state == isEstablished && inode != 0}, nil
}

// userInTables reads the kernel's tables of connections.
func userInTables(client, server netip.AddrPort) (int, error) {
	// The tables change while they are read, so a look may miss a line.
	const looks = 3
	for range looks {
		user, err := userInFile("/proc/self/net/tcp", client, server)
		if errors.Is(err, errNobody) { // a program may speak IPv4 through a socket of IPv6
			user, err = userInFile("/proc/self/net/tcp6", client, server)
			if errors.Is(err, ErrUnknownUser) { // this system has no IPv6
				err = errNobody
			}
		}
		if !errors.Is(err, errNobody) {
			return user, err
		}
	}
	return 0, errNobody
}

func userInFile(path string, client, server netip.AddrPort) (int, error) {
	table, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return 0, ErrUnknownUser
	}
	if err != nil {
		return 0, fmt.Errorf("look whose process connects: %w", err)
	}
	defer func() { _ = table.Close() }()
	return userIn(table, client, server)
}

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
