package dashboard_test

import (
	"bufio"
	"context"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/dashboard"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths/plugintest"
)

// TestAnotherUserNeitherReadsNorRedeems: a second user of the machine, who was told all
// that can be: the file's path, a key, and a cookie with its path.
func TestAnotherUserNeitherReadsNorRedeems(t *testing.T) {
	const somebodyElse = 61_002
	base := plugintest.PublicFolder(t)
	b := newBrowserAt(t, dashboard.Options{Folder: filepath.Join(base, "run")})
	b.enter()
	at, err := url.Parse(b.base + b.below + "/memories")
	if err != nil {
		t.Fatal(err)
	}
	cookies := b.Jar.Cookies(at)
	if len(cookies) != 1 {
		t.Fatalf("this user's browser has %v", cookies)
	}
	file, key := b.open(agentapi.DashboardParams{File: true}).File, b.open(agentapi.DashboardParams{}).Key
	job := file + " " + b.base + " " + key + " " + b.below + "/memories " + cookies[0].String()
	out, err := plugintest.CommandOfUser(t, base, somebodyElse, strangerVariable+"="+job).Output()
	if err != nil || string(out) != "done\n" {
		t.Errorf("another user: %v\n%s", err, out)
	}
	if status, _ := b.get("/memories"); status != http.StatusOK {
		t.Errorf("after that this user is answered by %d", status)
	}
	if status := b.bring(key); status != http.StatusOK {
		t.Errorf("the key was used up: this user is answered by %d", status)
	}
}

// TestAStrangersCrowdKeepsNobodyOut: whose process connects is known at once, also while
// another user holds thousands of connections, and when they have just been left.
func TestAStrangersCrowdKeepsNobodyOut(t *testing.T) {
	const somebodyElse = 61_002
	base := plugintest.PublicFolder(t)
	b := newBrowserAt(t, dashboard.Options{Folder: filepath.Join(base, "run")})
	crowd := plugintest.CommandOfUser(t, base, somebodyElse, strangerVariable+"="+strings.TrimPrefix(b.base, "http://"))
	leave, err := crowd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := crowd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := crowd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(said).ReadString('\n')
	if held, _ := strconv.Atoi(strings.TrimSpace(line)); held < manyConnections/2 {
		t.Fatalf("the stranger holds %d connections, %v", held, err)
	}
	isAnswered := func(when string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, b.base+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := b.Do(request)
		if err != nil {
			t.Fatalf("%s this user is not answered: %v", when, err)
		}
		_ = response.Body.Close()
	}
	isAnswered("while a stranger holds connections")
	if err := leave.Close(); err != nil {
		t.Fatal(err)
	}
	if err := crowd.Wait(); err != nil {
		t.Fatal(err)
	}
	isAnswered("after that")
}
