package main

import (
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/sandbox"
)

// peer is another program that is timed beside ours.
type peer struct {
	name    string
	command []string // the program and its arguments
}

// eventPlace in an argument of a peer stands for the name of the event.
const eventPlace = "{event}"

// parsePeers reads NAME=COMMAND; blanks separate the command's arguments.
func parsePeers(given []string) ([]peer, error) {
	var peers []peer
	for _, one := range given {
		name, command, _ := strings.Cut(one, "=")
		fields := strings.Fields(command)
		if strings.TrimSpace(name) == "" || len(fields) == 0 {
			return nil, fmt.Errorf("peer %q: want NAME=COMMAND, such as other='/opt/other/hook %s'", one, eventPlace)
		}
		peers = append(peers, peer{strings.TrimSpace(name), fields})
	}
	return peers, nil
}

// call is the peer's call for an event.
func (p peer) call(event string) sandbox.Call {
	args := make([]string, 0, len(p.command))
	for _, arg := range p.command {
		args = append(args, strings.ReplaceAll(arg, eventPlace, event))
	}
	return sandbox.Call{Command: args[0], Args: args[1:]}
}

// peerSeries are the runs of all peers with the inputs of the given programs.
func (m *measurement) peerSeries(programs []program) []*series {
	var all []*series
	for _, p := range m.options.peers {
		for _, one := range programs {
			all = append(all, &series{program: one, peer: &p})
		}
	}
	return all
}
