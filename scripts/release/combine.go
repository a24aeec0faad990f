package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"text/template"
)

const module = "github.com/surrealdb-memory/surrealdb-memory"

// combined are the programs of a release, each with the programs of apps/ that it contains. Separately each
// links the same packages again, which makes a download three times as large. A combined program runs the part that
// its own name or its first argument names, else the first part.
var combined = []struct {
	name  string
	parts []string // folders below apps/; "hooks" stands for all folders of apps/hooks
}{
	{"hook", []string{"hooks"}},
	{"memoryd", []string{"memoryd"}},
	{"memory", []string{"memory", "memory-mcp"}},
}

// parts returns the folders below apps/ of a combined program.
func (r *release) parts(names []string) ([]string, error) {
	var all []string
	for _, name := range names {
		if name != "hooks" {
			all = append(all, name)
			continue
		}
		hooks, err := os.ReadDir(filepath.Join(r.source, "apps", name))
		if err != nil {
			return nil, err
		}
		for _, hook := range hooks {
			all = append(all, name+"/"+hook.Name())
		}
	}
	return all, nil
}

// build builds one combined program. Its source is not in the repository: an overlay presents each part to the
// compiler as a package whose function Main is the part's main.
func (r *release) build(ctx context.Context, p platform, name string, names []string, file string) error {
	parts, err := r.parts(names)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "memory-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	o := overlay{root: r.source, work: work, Replace: map[string]string{}}
	flags := "-s -w"
	for _, part := range parts {
		to := path.Join("apps", "combined", name, packageOf(part))
		if err := o.packaged(path.Join("apps", part), to); err != nil {
			return fmt.Errorf("combine %s: %w", part, err)
		}
		flags += fmt.Sprintf(" -X %[1]s/%[2]s.version=%[3]s -X %[1]s/%[2]s.stamp=%[4]s", module, to, r.version, r.stamp)
	}
	source, err := mainOf(name, parts)
	if err == nil {
		err = o.put(path.Join("apps", "combined", name, "main.go"), source)
	}
	if err != nil {
		return err
	}
	described, err := json.Marshal(o)
	if err != nil {
		return err
	}
	overlayFile := filepath.Join(work, "overlay.json")
	if err := os.WriteFile(overlayFile, described, 0o600); err != nil {
		return err
	}
	// Without debug data, which the linker would strip, and with the flags of make's builds, so that compiled objects
	// are reused.
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-gcflags=all=-dwarf=false", "-buildvcs=false",
		"-overlay", overlayFile,
		"-ldflags", flags, "-o", file, "./apps/combined/"+name)
	build.Dir = r.source
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=", "GOOS="+p.goos, "GOARCH="+p.goarch)
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s for %s/%s: %w\n%s", name, p.goos, p.goarch, err, output)
	}
	return nil
}

// overlay is the input of `go build -overlay`: files that do not exist, and the places of their content.
type overlay struct {
	Replace map[string]string

	root, work string
}

func (o *overlay) put(name string, content []byte) error {
	file := filepath.Join(o.work, fmt.Sprintf("%d.go", len(o.Replace)))
	o.Replace[filepath.Join(o.root, filepath.FromSlash(name))] = file
	return os.WriteFile(file, content, 0o600)
}

// packaged presents the program in one folder as a package in another.
func (o *overlay) packaged(from, to string) error {
	files, err := filepath.Glob(filepath.Join(o.root, filepath.FromSlash(from), "*.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if content, err = asPackage(content, path.Base(to)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := o.put(path.Join(to, filepath.Base(file)), content); err != nil {
			return err
		}
	}
	return nil
}

// asPackage returns the source of a main package with another name and with its function main exported.
func asPackage(source []byte, name string) ([]byte, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	at := files.Position(parsed.Name.Pos()).Offset
	renamed := append([]byte{}, source[:at]...)
	renamed = append(append(renamed, name...), source[at+len("main"):]...)
	return bytes.Replace(renamed, []byte("\nfunc main() {"), []byte("\nfunc Main() {"), 1), nil
}

func packageOf(part string) string { return strings.ReplaceAll(path.Base(part), "-", "") }

// mainOf returns the source of a program that runs one of its parts.
func mainOf(name string, parts []string) ([]byte, error) {
	type part struct{ Name, Package, Path string }
	var all []part
	for _, one := range parts {
		all = append(all, part{path.Base(one), packageOf(one), path.Join(module, "apps", "combined", name, packageOf(one))})
	}
	var source bytes.Buffer
	if err := mainTemplate.Execute(&source, all); err != nil {
		return nil, err
	}
	return source.Bytes(), nil
}

var mainTemplate = template.Must(template.New("main").Parse(`package main

import (
	"os"
	"path/filepath"
	"strings"
{{range .}}
	"{{.Path}}"{{end}}
)

func main() {
	parts := map[string]func(){ {{- range .}}
		"{{.Name}}": {{.Package}}.Main,{{end}}
	}
	if len(os.Args) > 1 && parts[os.Args[1]] != nil {
		os.Args = os.Args[1:]
	}
	serve := parts[strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")]
	if serve == nil {
		serve = {{(index . 0).Package}}.Main
	}
	serve()
}
`))
