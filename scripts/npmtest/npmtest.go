// Package npmtest is an npm registry on loopback for tests of a release: it serves the packages of the release, and
// fetches all others from npm's registry.
package npmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// Registry serves the packages of a release, as an http.Handler.
type Registry struct {
	// Served is the number of bytes of requested packages.
	Served atomic.Int64
	// IsDown makes every request fail, as if there were no registry.
	IsDown atomic.Bool

	dir  string
	rest http.Handler
}

// New returns a registry for the folder npm of a release.
func New(ctx context.Context, dir string) (*Registry, error) {
	set, err := exec.CommandContext(ctx, "npm", "config", "get", "registry").Output()
	if err != nil {
		return nil, fmt.Errorf("ask npm for its registry: %w", err)
	}
	address, err := url.Parse(strings.TrimSpace(string(set)))
	if err != nil {
		return nil, fmt.Errorf("npm's registry: %w", err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(address) }}
	return &Registry{dir: dir, rest: proxy}, nil
}

// command is the package that people run with npx. The names of the release's files begin with it.
const command = "surrealdb-memory"

// ServeHTTP answers with a package (/@scope/name/-/name-version.tgz), or with the versions of a package
// (/@scope/name).
func (r *Registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if r.IsDown.Load() {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	counted := &counter{w, &r.Served}
	owner, name, _ := strings.Cut(strings.TrimPrefix(request.URL.Path, "/"), "/")
	begin := map[string]string{command: "", "@" + command: command + "-"}
	switch file := path.Base(name); {
	case begin[owner] == "" && owner != command:
		r.rest.ServeHTTP(counted, request)
	case !strings.HasSuffix(file, ".tgz"):
		if owner == command {
			file = command
		}
		r.describe(counted, request, begin[owner]+file)
	default:
		if _, err := os.Stat(filepath.Join(r.dir, "engine", file)); err == nil {
			file = filepath.Join("engine", file)
		} else {
			file = begin[owner] + file
		}
		http.ServeFile(counted, request, filepath.Join(r.dir, file))
	}
}

// describe answers with the release's version of a package.
func (r *Registry) describe(w http.ResponseWriter, request *http.Request, name string) {
	found, err := filepath.Glob(filepath.Join(r.dir, name+"-[0-9]*.tgz"))
	if err != nil || len(found) != 1 {
		http.Error(w, fmt.Sprintf("the release has for %s the packages %q", name, found), http.StatusNotFound)
		return
	}
	content, err := exec.CommandContext(request.Context(), "tar", "-xzOf", found[0], "package/package.json").Output()
	var manifest map[string]any
	if err == nil {
		err = json.Unmarshal(content, &manifest)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	// The request's address has the prefix of this registry.
	file := strings.TrimPrefix(filepath.Base(found[0]), command+"-")
	if name == command {
		file = filepath.Base(found[0])
	}
	manifest["dist"] = map[string]string{"tarball": "http://" + request.Host + request.RequestURI + "/-/" + file}
	version := fmt.Sprint(manifest["version"])
	_ = json.NewEncoder(w).Encode(map[string]any{
		"name": manifest["name"], "dist-tags": map[string]string{"latest": version}, "versions": map[string]any{version: manifest},
	})
}

// counter counts the bytes written.
type counter struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

func (c *counter) Write(content []byte) (int, error) {
	n, err := c.ResponseWriter.Write(content)
	c.bytes.Add(int64(n))
	return n, err
}
