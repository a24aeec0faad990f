// Package npmtest is an npm registry on loopback for tests of a release: it has the packages of the release, and fetches all
// others from the registry that npm is set to.
package npmtest

import (
	"context"
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

// ServeHTTP answers with a package: /@scope/name/-/name-version.tgz.
func (r *Registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if r.IsDown.Load() {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	counted := &counter{w, &r.Served}
	name := path.Base(request.URL.Path)
	for _, file := range []string{filepath.Join("engine", name), "surrealdb-memory-" + name} {
		if _, err := os.Stat(filepath.Join(r.dir, file)); err == nil && strings.HasPrefix(request.URL.Path, "/@surrealdb-memory/") {
			http.ServeFile(counted, request, filepath.Join(r.dir, file))
			return
		}
	}
	r.rest.ServeHTTP(counted, request)
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
