// Package npmtest is an npm registry on loopback for tests of a release: it has the packages of the release, and fetches all
// others from the registry that npm is set to.
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
	// Served counts the bytes of packages that were asked for.
	Served atomic.Int64
	// IsDown has every request fail as if there were no registry.
	IsDown atomic.Bool

	dir  string
	rest http.Handler
}

// New serves the folder npm of a release.
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

// wrapper is the package that people run with npx.
const wrapper = "surrealdb-memory"

// ServeHTTP answers with a package, /@scope/name/-/name-version.tgz, or with the versions of the one that people run.
func (r *Registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if r.IsDown.Load() {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	counted := &counter{w, &r.Served}
	name := path.Base(request.URL.Path)
	var candidates []string
	switch {
	case request.URL.Path == "/"+wrapper:
		r.describe(counted, request)
		return
	case strings.HasPrefix(request.URL.Path, "/"+wrapper+"/"):
		candidates = []string{name}
	case strings.HasPrefix(request.URL.Path, "/@"+wrapper+"/"):
		candidates = []string{filepath.Join("engine", name), wrapper + "-" + name}
	}
	for _, file := range candidates {
		if _, err := os.Stat(filepath.Join(r.dir, file)); err == nil {
			http.ServeFile(counted, request, filepath.Join(r.dir, file))
			return
		}
	}
	r.rest.ServeHTTP(counted, request)
}

// describe answers with the versions of the wrapper: the release's.
func (r *Registry) describe(w http.ResponseWriter, request *http.Request) {
	found, err := filepath.Glob(filepath.Join(r.dir, wrapper+"-[0-9]*.tgz"))
	if err != nil || len(found) != 1 {
		http.Error(w, fmt.Sprintf("the release has the wrappers %q", found), http.StatusNotFound)
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
	// The address of the request has the prefix below which this registry is.
	at := "http://" + request.Host + strings.TrimSuffix(request.RequestURI, "/"+wrapper) + "/" + wrapper + "/-/" + filepath.Base(found[0])
	manifest["dist"] = map[string]string{"tarball": at}
	version := fmt.Sprint(manifest["version"])
	_ = json.NewEncoder(w).Encode(map[string]any{
		"name": wrapper, "dist-tags": map[string]string{"latest": version}, "versions": map[string]any{version: manifest},
	})
}

// counter counts what is written.
type counter struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

func (c *counter) Write(content []byte) (int, error) {
	n, err := c.ResponseWriter.Write(content)
	c.bytes.Add(int64(n))
	return n, err
}
