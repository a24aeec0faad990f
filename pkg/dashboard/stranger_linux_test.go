package dashboard_test

import (
	"net/http"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/dashboard"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/private/privatetest"
)

// TestAnotherUserNeitherReadsNorRedeems: a second user of the machine, who was told all
// that can be: the file's path, a key, and a cookie with its path.
func TestAnotherUserNeitherReadsNorRedeems(t *testing.T) {
	const somebodyElse = 61_002
	base := privatetest.Folder(t)
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
	out, err := privatetest.Command(t, base, somebodyElse, strangerVariable+"="+job).Output()
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
