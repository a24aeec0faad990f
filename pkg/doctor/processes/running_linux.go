package processes

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// running lists the processes whose environment this user may read: their own.
func running(paths.Layout) ([]process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var found []process
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if p, ok := look(pid); ok {
			found = append(found, p)
		}
	}
	return found, nil
}

// look reads the system's record of a process. It skips processes that ended meanwhile,
// those of other users, and zombies, which have no arguments any more.
func look(pid int) (process, bool) {
	dir := fmt.Sprintf("/proc/%d/", pid)
	cmdline, err := os.ReadFile(dir + "cmdline")
	if err != nil || len(cmdline) == 0 {
		return process{}, false
	}
	environ, err := os.ReadFile(dir + "environ")
	if err != nil {
		return process{}, false
	}
	p := process{pid: pid, args: strings.Split(string(bytes.TrimSuffix(cmdline, []byte{0})), "\x00"), env: map[string]string{}}
	for pair := range strings.SplitSeq(string(environ), "\x00") {
		key, value, _ := strings.Cut(pair, "=")
		p.env[key] = value
	}
	status, err := os.ReadFile(dir + "stat")
	if err != nil {
		return process{}, false
	}
	_, after, _ := strings.Cut(string(status), ") ") // the name may have blanks
	var state string
	_, err = fmt.Sscan(after, &state, &p.parent)
	return p, err == nil && state != "Z"
}

func isAlive(pid int) bool {
	_, alive := look(pid)
	return alive
}
