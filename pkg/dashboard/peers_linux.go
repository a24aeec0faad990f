package dashboard

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"syscall"
)

// systemPeers asks the kernel.
type systemPeers struct{}

func (systemPeers) User(client, server netip.AddrPort) (int, error) {
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
