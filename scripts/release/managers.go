package main

import "strings"

const formula = `# Written by scripts/release; see scripts/release/README.md.
class SurrealdbMemory < Formula
  desc "Memory for Claude Code that works by itself"
  homepage "{project}"
  version "{version}"
  license "MIT"
{platforms}
  def install
    prefix.install Dir[".claude-plugin", "plugin"]
    bin.install_symlink prefix/"plugin/bin/memory"
  end

  def caveats
    "For Claude Code: claude plugin marketplace add #{opt_prefix} && claude plugin install surrealdb-memory@surrealdb-memory"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/memory --version")
  end
end
`

const formulaPlatform = `
  on_{os} do
    on_{cpu} do
      url "{url}"
      sha256 "{sha256}"
    end
  end
`

// formula returns the Homebrew formula.
func (r *release) formula() []byte {
	var all strings.Builder
	for _, p := range r.platforms {
		if p.isWindows() {
			continue
		}
		file := r.archiveOf(p)
		all.WriteString(fill(formulaPlatform, map[string]string{
			"os":  map[string]string{"linux": "linux", "darwin": "macos"}[p.goos],
			"cpu": map[string]string{"amd64": "intel", "arm64": "arm"}[p.goarch],
			"url": r.address + "/" + file.name, "sha256": sha256Of(file.content),
		}))
	}
	return []byte(fill(formula, map[string]string{"project": project, "version": r.version, "platforms": all.String()}))
}

// scoop returns the Scoop manifest.
func (r *release) scoop() ([]byte, error) {
	type source struct {
		URL     string `json:"url"`
		Hash    string `json:"hash"`
		Extract string `json:"extract_dir"`
	}
	sources := map[string]source{}
	for _, p := range r.platforms {
		if p.isWindows() {
			file := r.archiveOf(p)
			sources[map[string]string{"amd64": "64bit", "arm64": "arm64"}[p.goarch]] = source{r.address + "/" +
				file.name, sha256Of(file.content), command + "-" + r.version}
		}
	}
	return encode(struct {
		Version      string            `json:"version"`
		Description  string            `json:"description"`
		Homepage     string            `json:"homepage"`
		License      string            `json:"license"`
		Architecture map[string]source `json:"architecture"`
		Bin          []string          `json:"bin"`
		Notes        string            `json:"notes"`
	}{
		r.version, "Memory for Claude Code that works by itself", project, "MIT", sources,
		[]string{`plugin\bin\memory.cmd`},
		"For Claude Code: claude plugin marketplace add $dir, then claude plugin install surrealdb-memory@surrealdb-memory",
	})
}

func (r *release) archiveOf(p platform) *file {
	return r.assets.find(strings.Join([]string{command, r.version, p.goos, p.goarch}, "_") + p.archiveSuffix())
}
