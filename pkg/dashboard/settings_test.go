package dashboard_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/dashboard"
)

func TestThePageOfSettingsHasTheirWordsValuesAndOrigins(t *testing.T) {
	b := newBrowserAt(t, dashboard.Options{Folder: filepath.Join(t.TempDir(), "run"), Settings: func() []dashboard.Setting {
		return []dashboard.Setting{
			{Key: "disabled", Text: "switches every hook off", Value: "false", Default: "false"},
			{Key: "store.url", Text: "the address", Value: "ws://db:8000", Origin: "SURREAL_URL"},
			{Key: "store.pass", Text: "the password", Secret: true, Origin: "/home/anna/config.json"},
			{Key: "backup.keep", Text: "days", Value: "7", Default: "7"},
		}
	}})
	b.enter()
	_, page := b.get("/settings")
	for _, want := range []string{
		"<h2>All</h2>", "<h2>Store</h2>", "<h2>Backups</h2>", "2 values differ from the default",
		`<code>store.url</code> <span class="chip mark-on">changed</span><div class="soft">the address</div>`, "<code>ws://db:8000</code>", "from SURREAL_URL; default: empty",
		"from config.json</div>", `<code>disabled</code><div class="soft">switches every hook off</div>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
	without := newBrowser(t)
	without.enter()
	if _, page := without.get("/settings"); !strings.Contains(page, "memory config list") {
		t.Errorf("without settings the page is\n%s", page)
	}
}
