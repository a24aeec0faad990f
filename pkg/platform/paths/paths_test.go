package paths_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

func TestFromEnv(t *testing.T) {
	cases := []struct {
		name string
		env  map[string]string
		want string
	}{
		{"MEMORY_HOME wins", map[string]string{"MEMORY_HOME": "/m", "CLAUDE_CONFIG_DIR": "/c", "HOME": "/h"}, "/m"},
		{"then the client's directory", map[string]string{"CLAUDE_CONFIG_DIR": "/c", "HOME": "/h"}, "/c/surrealdb-memory"},
		{"then the home directory", map[string]string{"HOME": "/h"}, "/h/.claude/surrealdb-memory"},
		{"is cleaned", map[string]string{"MEMORY_HOME": "/m/../n/"}, "/n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := paths.FromEnv(func(key string) string { return c.env[key] }).Home
			musttest.Same(t, c.want, got, "home")
		})
	}
}

func TestWithNothingSetNothingLiesInASharedFolder(t *testing.T) {
	layout := paths.FromEnv(func(string) string { return "" })
	if !filepath.IsAbs(layout.Home) || strings.HasPrefix(layout.Home, os.TempDir()) {
		t.Errorf("home is %s, want an absolute path that is not for all users", layout.Home)
	}
	musttest.Fails(t, os.MkdirAll(layout.Home, 0o700), "%s can be made", layout.Home)
	if got := layout.FallbackSpools(); len(got) > 0 {
		t.Errorf("fallback spools are %q, want none", got)
	}
}

func TestFallbackSpoolsBelongToTheUserAndToOneHome(t *testing.T) {
	from := func(home string) paths.Layout {
		return paths.FromEnv(func(key string) string {
			return map[string]string{"MEMORY_HOME": home, "HOME": "/home/dev", "XDG_RUNTIME_DIR": "/run/user/1000"}[key]
		})
	}
	one, other := from("/m"), from("/n")
	spools := one.FallbackSpools()
	if len(spools) != 2 || !strings.HasPrefix(spools[0], "/home/dev/.local/state/") || !strings.HasPrefix(spools[1], "/run/user/1000/") {
		t.Fatalf("fallback spools are %q", spools)
	}
	for _, dir := range spools {
		if !one.IsFallbackSpool(dir) || other.IsFallbackSpool(dir) {
			t.Errorf("%s: one home's is %v, another's %v", dir, one.IsFallbackSpool(dir), other.IsFallbackSpool(dir))
		}
	}
	for _, dir := range []string{"", "spool", "/tmp/spool", spools[0] + "/../x", spools[0][1:]} {
		if one.IsFallbackSpool(dir) {
			t.Errorf("%q passes for a fallback spool", dir)
		}
	}
}

func TestSocketStaysInTheHome(t *testing.T) {
	short := paths.Layout{Home: "/m"}
	musttest.Same(t, "/m/run/memoryd.sock", short.Socket(), "socket")
	deep := paths.Layout{Home: "/" + strings.Repeat("deep/", 40)}
	other := paths.Layout{Home: "/" + strings.Repeat("deep/", 41)}
	if deep.Socket() == other.Socket() {
		t.Errorf("two homes share the socket %s", deep.Socket())
	}
	if strings.HasPrefix(deep.Socket(), os.TempDir()) {
		t.Errorf("the socket %s is where all users may write", deep.Socket())
	}
}

func TestInstalledRoot(t *testing.T) {
	for program, want := range map[string]string{
		"/plugin/libexec/memoryd":                              "/plugin",
		"/cache/p/1/node_modules/@x/linux-x64/libexec/memoryd": "/cache/p/1",
		"/cache/p/1/programs/linux-x64/libexec/hook":           "/cache/p/1",
		"/opt/memory/plugin/libexec/memory":                    "/opt/memory/plugin",
	} {
		musttest.Same(t, filepath.FromSlash(want), paths.InstalledRoot(filepath.FromSlash(program)), "%s belongs to", program)
	}
}

func TestTildesAreOfTheHomeOnly(t *testing.T) {
	for message, want := range map[string]string{
		"open /home/ann/.claude/x: denied":            "open ~/.claude/x: denied",
		"open /backup/home/ann/x: denied":             "open /backup/home/ann/x: denied",
		`"/home/ann/a" is not "/home/anna/a"`:         `"~/a" is not "/home/anna/a"`,
		"https://host/home/ann/x has no such page":    "https://host/home/ann/x has no such page",
		"/home/ann/a is no project, nor is /home/ann": "~/a is no project, nor is /home/ann",
	} {
		musttest.Same(t, want, paths.Tildes(message, "/home/ann"), "%q became", message)
	}
}

// TestMadeHasEachPathOfAHome: whatever path the layout gives to code is in the list of what the product makes, or below it.
func TestMadeHasEachPathOfAHome(t *testing.T) {
	for _, home := range []string{"/m", "/" + strings.Repeat("deep/", 40)} {
		layout := paths.FromEnv(func(key string) string {
			return map[string]string{"MEMORY_HOME": home, "HOME": "/home/dev", "XDG_RUNTIME_DIR": "/run/user/1000"}[key]
		})
		made := layout.AllPaths()
		of := reflect.ValueOf(layout)
		for i := range of.NumMethod() {
			method, args := of.Method(i), []reflect.Value{}
			for at := range method.Type().NumIn() {
				given := reflect.ValueOf("x")
				if method.Type().In(at).Kind() == reflect.Int { // a process
					given = reflect.ValueOf(7)
				}
				args = append(args, given)
			}
			for _, path := range textsIn(method.Call(args)[0]) {
				if !slices.ContainsFunc(made, func(one string) bool { return path == one || strings.HasPrefix(path, one+string(filepath.Separator)) }) {
					t.Errorf("%s gives %s, which is not in the list", of.Type().Method(i).Name, path)
				}
			}
		}
	}
}

func textsIn(v reflect.Value) (all []string) {
	switch v.Kind() {
	case reflect.String:
		all = append(all, v.String())
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			all = append(all, textsIn(v.Index(i))...)
		}
	}
	return all
}
