package dashboard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/dashboard"
)

// strangerVariable has this program be another user's, with the file, the address, a key
// and a cookie with its path, all of which it was told; or with an address only.
const strangerVariable = "DASHBOARD_TEST_STRANGER"

// manyConnections are those that a stranger holds who is told an address only.
const manyConnections = 3000

// crowd connects many times, says so, and holds on until its input ends.
func crowd(address string) {
	var held []net.Conn
	for range manyConnections {
		conn, err := net.DialTimeout("tcp4", address, time.Second)
		if err != nil { // the kernel's queue is full
			break
		}
		held = append(held, conn)
	}
	fmt.Println(len(held))
	_, _ = io.Copy(io.Discard, os.Stdin)
	for _, conn := range held {
		_ = conn.Close()
	}
}

// stranger tries to read the file, to redeem the key and to replay the cookie, and says
// what succeeds.
func stranger(job string) {
	told := strings.Fields(job)
	if len(told) == 1 {
		crowd(told[0])
		return
	}
	file, base, key, page, cookie := told[0], told[1], told[2], told[3], told[4]
	if content, err := os.ReadFile(file); err == nil {
		fmt.Printf("read %s\n", content)
	}
	if names, err := os.ReadDir(filepath.Dir(file)); err == nil {
		fmt.Printf("listed %v\n", names)
	}
	replay, err := http.NewRequestWithContext(context.Background(), http.MethodGet, base+page, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	replay.Header.Set("Cookie", cookie)
	for name, try := range map[string]func() (*http.Response, error){
		"the address": func() (*http.Response, error) { return http.Get(base + "/") },
		"the key":     func() (*http.Response, error) { return http.PostForm(base+"/enter", url.Values{"key": {key}}) },
		"the cookie":  func() (*http.Response, error) { return http.DefaultClient.Do(replay) },
	} {
		if response, err := try(); err == nil {
			_ = response.Body.Close()
			fmt.Printf("%s is answered by %d\n", name, response.StatusCode)
		}
	}
	// One that leaves at once is nobody's process when it is looked at.
	conn, err := net.Dial("tcp4", strings.TrimPrefix(base, "http://"))
	if err == nil {
		_, _ = io.WriteString(conn, "POST /enter HTTP/1.1\r\nHost: "+strings.TrimPrefix(base, "http://")+"\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: "+
			fmt.Sprint(len("key="+key))+"\r\n\r\nkey="+key)
		_ = conn.Close()
	}
	fmt.Println("done")
}

// peers says of everybody what it is told to.
type peers struct {
	user int
	err  error
}

func (p peers) User(client, server netip.AddrPort) (int, error) { return p.user, p.err }

// TestAnotherUsersProcessIsNotAnswered: not even with a key, as far as the system tells
// whose process it is. Root is, because it may read everything anyway.
func TestAnotherUsersProcessIsNotAnswered(t *testing.T) {
	for name, test := range map[string]struct {
		peers
		want bool
	}{
		"this user":                {peers{user: os.Geteuid()}, true},
		"root":                     {peers{user: 0}, true},
		"another user":             {peers{user: 61_002}, false},
		"nobody holds it any more": {peers{err: errors.New("nobody")}, false},
		"the system does not say":  {peers{err: dashboard.ErrUnknownUser}, true},
	} {
		b := newBrowserAt(t, dashboard.Options{Folder: t.TempDir(), UserOf: test.User})
		response, err := b.PostForm(b.base+"/enter", url.Values{"key": {b.open(agentapi.DashboardParams{}).Key}})
		if err == nil {
			_ = response.Body.Close()
		}
		if (err == nil) != test.want {
			t.Errorf("%s: answered is %v, %v; want %v", name, err == nil, err, test.want)
		}
	}
}
