package importer

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Notes returns a Markdown page, meant for people to read, of the memories of a project, or of the user's if where has no
// key: by kind, the newest first. The same memories always give the same page. Private and secret parts are removed again;
// redacted is the number of memories that this changes, written the number of those on the page: a memory of which nothing
// is left is not on it.
func Notes(where memory.Project, memories []memory.Memory) (page []byte, written, redacted int) {
	memories = slices.Clone(memories)
	slices.SortFunc(memories, func(a, b memory.Memory) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), b.CreatedAt.Compare(a.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	name := where.Name
	if where.Key == "" {
		name = "user"
	}
	var body bytes.Buffer
	_, _ = fmt.Fprintf(&body, "# %s\n\nA change here changes nothing in the memory: `memory edit ID --content TEXT` does.\n", memory.OneLine(name))
	var kind memory.Kind
	for _, m := range memories {
		id := memory.ShortID(m.ID)
		if scrubMemory(&m) {
			redacted++
			id = memory.ShortID(memory.NewID(m.Scope, m.Project, m.Content))
		}
		if strings.TrimSpace(m.Content) == "" {
			continue
		}
		if written++; m.Kind != kind {
			kind = m.Kind
			_, _ = fmt.Fprintf(&body, "\n## %s\n\n", kind)
		}
		_, _ = fmt.Fprintf(&body, "- %s ^%s\n    - %s\n", memory.OneLine(m.Content), id, aboutNote(m))
	}
	return body.Bytes(), written, redacted
}

// aboutNote returns the line below a memory.
func aboutNote(m memory.Memory) string {
	parts := []string{m.LastSeenAt.UTC().Format(time.DateOnly), fmt.Sprintf("importance %.2g", m.Importance)}
	if m.Pinned {
		parts = append(parts, "pinned")
	}
	if m.Source != "" {
		parts = append(parts, "source "+string(m.Source))
	}
	for _, file := range m.Files {
		parts = append(parts, "[["+notInLink.Replace(file)+"]]")
	}
	for _, tag := range m.Tags {
		parts = append(parts, "#"+notInTag.ReplaceAllString(tag, "-"))
	}
	return strings.Join(parts, ", ")
}

var (
	notInTag  = regexp.MustCompile(`[^\p{L}\p{N}_/-]+`)
	notInLink = strings.NewReplacer("[", "(", "]", ")", "|", "-", "#", "-", "^", "-")
)
