package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|authors)[^/]*$`)

// tables is the module with the token tables that are packed in pkg/recall/tokens; no program links it.
const tables = "github.com/pkoukk/tiktoken-go-loader/assets"

// readLicences returns the licences of all modules that the programs link on any platform, of the token tables, and
// of Go's library. It fails if a module has no licence.
func (r *release) readLicences(ctx context.Context) ([]byte, error) {
	dirs := map[string]string{}
	for _, p := range r.platforms {
		list := exec.CommandContext(ctx, "go", "list", "-deps", "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", "./apps/...", tables)
		list.Dir = r.source
		list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=", "GOOS="+p.goos, "GOARCH="+p.goarch)
		output, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("list what the programs link: %w", err)
		}
		for line := range strings.Lines(string(output)) {
			if name, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				dirs[name] = dir
			}
		}
	}
	var all bytes.Buffer
	goRoot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("find Go: %w", err)
	}
	if err := appendLicences(&all, "Go "+strings.TrimPrefix(runtime.Version(), "go"),
		strings.TrimSpace(string(goRoot))); err != nil {
		return nil, err
	}
	for _, name := range sortedKeys(dirs) {
		if err := appendLicences(&all, name, dirs[name]); err != nil {
			return nil, err
		}
	}
	return all.Bytes(), nil
}

func appendLicences(all *bytes.Buffer, name, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read the licence of %s: %w", name, err)
	}
	found := false
	for _, entry := range entries {
		if entry.IsDir() || !licenceName.MatchString(entry.Name()) || filepath.Ext(entry.Name()) == ".go" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return fmt.Errorf("read the licence of %s: %w", name, err)
		}
		section(all, name+": "+entry.Name(), content)
		found = true
	}
	if !found {
		return fmt.Errorf("%s has no licence in %s: it must not be linked", name, dir)
	}
	return nil
}

func section(all *bytes.Buffer, title string, content []byte) {
	_, _ = fmt.Fprintf(all, "==== %s ====\n\n%s\n\n", title,
		bytes.TrimSpace(bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))))
}

// component is an entry of the bill of materials.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	PURL    string `json:"purl"`
}

// noteLinked adds the modules that a built program links, by the program's own list.
func (r *release) noteLinked(program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("read what %s links: %w", program, err)
	}
	r.note(component{
		"library", "std", strings.TrimPrefix(info.GoVersion, "go"),
		"pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"),
	})
	for _, dep := range info.Deps {
		if dep.Replace != nil {
			dep = dep.Replace
		}
		r.note(component{"library", dep.Path, dep.Version, "pkg:golang/" + dep.Path + "@" + dep.Version})
	}
	return nil
}

// note adds a component to the bill of materials.
func (r *release) note(one component) {
	if r.components == nil {
		r.components = map[string]component{}
	}
	r.components[one.PURL] = one
}

// bill returns the software bill of materials, in CycloneDX: all modules that any program links, and the engine's
// packages.
func (r *release) bill() ([]byte, error) {
	var all []component
	for _, key := range sortedKeys(r.components) {
		all = append(all, r.components[key])
	}
	type metadata struct {
		Component component `json:"component"`
	}
	return encode(struct {
		Format     string      `json:"bomFormat"`
		Spec       string      `json:"specVersion"`
		Version    int         `json:"version"`
		Metadata   metadata    `json:"metadata"`
		Components []component `json:"components"`
	}{"CycloneDX", "1.6", 1, metadata{component{"application", command, r.version, "pkg:npm/" + command + "@" + r.version}}, all})
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
