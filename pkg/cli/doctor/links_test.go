//go:build linux

package doctor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/doctor"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/launcher"
)

// link makes a symbolic link below the patient's directory.
func (p *patient) link(target, name string) {
	p.t.Helper()
	p.must(os.MkdirAll(filepath.Dir(filepath.Join(p.dir, name)), 0o700))
	p.must(os.Symlink(filepath.Join(p.dir, target), filepath.Join(p.dir, name)))
}

// The client has deleted one version of the plugin, and will delete another.
func TestLinksThatLeadNowhereAreFoundAndMended(t *testing.T) {
	p := newPatient(t)
	const gone, old = "cache/surrealdb-memory/0.9.1", "cache/surrealdb-memory/0.9.2"
	at := func(name string) string { return filepath.Join(p.dir, name) }
	for _, program := range []string{"bin/memory", "libexec/memoryd"} {
		p.write(old+"/"+program, "#!/bin/sh\n")
	}
	p.must(launcher.Install(p.layout, at("plugin")))
	p.link("home/bin/memory", "good/memory")
	p.write("claude/settings.json", `{"enabledPlugins": {"surrealdb-memory@surrealdb-memory": true}}`)
	p.env["PATH"] += ":" + at("good") + ":" + at("elsewhere")
	if left := checksOf(p.doctor().Examine(t.Context())); left != nil {
		t.Fatalf("all is well, and found is %q", left)
	}
	p.must(launcher.Install(p.layout, at(gone)))
	p.link(gone+"/bin/memory", ".local/bin/memory")
	p.link(old+"/bin/memory", "elsewhere/memory")

	d := p.doctor()
	findings := d.Examine(t.Context())
	type short struct {
		How    doctor.Severity
		Remedy string
	}
	var found []short
	for _, f := range findings {
		if f.IsLeft() {
			found = append(found, short{f.Severity, f.Remedy})
		}
		if f.IsLeft() && !strings.Contains(f.Message, p.dir+"/cache") {
			t.Errorf("%s does not name the program: %s", f.Check, f.Message)
		}
	}
	want := []short{
		{doctor.Warning, "memory doctor --fix repairs it"},
		{doctor.Error, "memory doctor --fix, or: memory setup link ~/.local/bin"},
		{doctor.Warning, "memory doctor --fix, or: memory setup link ~/elsewhere"},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("found (-want +found):\n%s", diff)
	}

	d.Fix(t.Context(), findings)
	left := checksOf(p.doctor().Examine(t.Context()))
	if len(left) != 0 {
		t.Errorf("after the mending are left %q", left)
	}
	for _, link := range []string{".local/bin/memory", "elsewhere/memory"} {
		if target, err := os.Readlink(at(link)); err != nil || target != at("home/bin/memory") {
			t.Errorf("after the mending %s leads to %s, %v", link, target, err)
		}
	}
	if plugin, err := launcher.Plugin(at("home/bin/memory")); err != nil || plugin != at("plugin") {
		t.Errorf("after the mending the launcher leads to %s, %v", plugin, err)
	}
}
