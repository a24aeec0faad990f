package answers

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// mostReplaced bounds the archived and the merged memories that are searched for replaced
// ones.
const mostReplaced = 200

// Graph tells how the files, fixes and corrections of a project hang together, from the
// index and from the rows archived last.
func (a *Answers) Graph(ctx context.Context, p agentapi.OfProject) (agentapi.Graph, error) {
	result := agentapi.Graph{Files: []agentapi.GraphFile{}, Memories: []agentapi.GraphMemory{}}
	index, err := a.Briefing.Index(ctx, p.Project)
	if err != nil {
		return result, err
	}
	replaced, err := a.replaced(ctx, p.Project)
	if err != nil {
		return result, err
	}
	named := map[string]int{}
	var all []agentapi.GraphMemory
	for _, m := range index.Memories() {
		m.Files = slices.DeleteFunc(slices.Clone(m.Files), func(file string) bool { return !isFile(m, file) })
		for _, file := range m.Files {
			named[file]++
		}
		if len(m.Files)+len(replaced[m.ID]) > 0 {
			all = append(all, agentapi.GraphMemory{Memory: m, Replaced: replaced[m.ID]})
		}
	}
	// A memory about files that others are about, too, connects more than one about many
	// files that nobody else names.
	weight := func(m agentapi.GraphMemory) int {
		n := 2 * len(m.Replaced)
		for _, file := range m.Memory.Files {
			n += min(named[file]-1, 5)
		}
		if m.Memory.Kind == memory.KindFix {
			n++
		}
		return n
	}
	slices.SortFunc(all, func(x, y agentapi.GraphMemory) int {
		return cmp.Or(weight(y)-weight(x), latestFirst(x.Memory, y.Memory), cmp.Compare(x.Memory.ID, y.Memory.ID))
	})
	limit := min(max(p.Limit, 1), mostFound, len(all))
	result.Left = len(all) - limit
	shown := map[string]bool{}
	for _, m := range all[:limit] {
		m.Memory = a.Briefing.Count(m.Memory)
		result.Memories = append(result.Memories, m)
		for _, file := range m.Memory.Files {
			shown[file] = true
		}
	}
	for _, file := range slices.Sorted(maps.Keys(shown)) {
		result.Files = append(result.Files, agentapi.GraphFile{Path: file, Memories: named[file]})
	}
	slices.SortStableFunc(result.Files, func(x, y agentapi.GraphFile) int { return y.Memories - x.Memories })
	return result, nil
}

// isFile tells whether a name that a memory has among its files is one: prose names branches (origin/main), packages
// (example.com/p) and alternatives (and/or) in the same form. A file that was looked at when it was said has a fingerprint.
func isFile(m memory.Memory, name string) bool {
	if _, wasSeen := m.Fingerprints[name]; wasSeen || m.Source == memory.SourceTool {
		return true
	}
	if strings.ContainsAny(name, " :?*") || strings.HasSuffix(name, "/") {
		return false
	}
	base := path.Base(name)
	if slices.Contains(filesWithoutEnding, base) {
		return true
	}
	ending := strings.TrimPrefix(path.Ext(base), ".")
	hasLetter := strings.IndexFunc(ending, unicode.IsLetter) >= 0
	return hasLetter && (strings.Contains(name, "/") || !slices.Contains(hostEndings, ending))
}

var (
	filesWithoutEnding = []string{"Makefile", "Dockerfile", "Jenkinsfile", "Procfile", "Gemfile", "Rakefile", "Vagrantfile", "LICENSE", "README", "CHANGELOG", "CODEOWNERS"}
	hostEndings        = []string{"com", "org", "net", "dev", "io"}
)

// replaced are the corrected and merged memories among those archived last, by the id of
// the memory that replaced them.
func (a *Answers) replaced(ctx context.Context, project string) (map[string][]memory.Memory, error) {
	by := map[string][]memory.Memory{}
	for _, status := range []memory.Status{memory.StatusArchived, memory.StatusConsolidated} {
		page, _, err := a.page(ctx, project, status, "", mostReplaced)
		if err != nil {
			return nil, err
		}
		for _, one := range page {
			if to := cmp.Or(one.SupersededBy, one.MergedInto); to != "" {
				by[to] = append(by[to], one.Memory)
			}
		}
	}
	return by, nil
}
