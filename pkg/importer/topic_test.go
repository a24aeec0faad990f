package importer_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// topic is the expected fact of a file.
type topic struct {
	Title, Content, Detail, Area string
	Kind                         memory.Kind
	Cues                         []string
}

func TestTopics(t *testing.T) {
	long := strings.Repeat("It matters. ", 60) + "\n\nSo it is."
	for name, c := range map[string]struct {
		file, text string
		want       []topic
	}{
		"as the client writes it": {
			"staging_port.md", "---\nname: staging-port\ndescription: Staging database is on port 6543\nmetadata:\n  node_type: memory\n  type: project\n  originSessionId: 0a1b\n---\n\nThe staging database listens on 6543.\n",
			[]topic{{"Staging database is on port 6543", "The staging database listens on 6543.", "", "project", memory.KindNote, []string{"Staging database is on port 6543"}}},
		},
		"feedback with its reason": {
			"no_mocks.md", "---\nname: no-mocks\ndescription: \"Never mock the gateway\"\ntype: feedback\n---\nNever mock it.\n\n**Why:** it lies.\n",
			[]topic{{"Never mock the gateway", "Never mock it. **Why:** it lies.", "Never mock it.\n\n**Why:** it lies.", "feedback", memory.KindConvention, []string{"Never mock the gateway"}}},
		},
		"about the user": {"role.md", "---\nname: role\ntype: user\n---\nWorks on billing.\n", []topic{{"role", "Works on billing.", "", "user", memory.KindPreference, nil}}},
		"no name": {
			"x.md", "---\ntype: reference\n---\n# Where the board is\n\nIt is in the wiki.\n",
			[]topic{{"Where the board is", "# Where the board is It is in the wiki.", "# Where the board is\n\nIt is in the wiki.", "reference", memory.KindNote, nil}},
		},
		"a description that is long": {
			"x.md", "---\nname: x\ndescription: Payments are never retried by the shop, because the bank does that itself and twice is too much\n---\nNever retry.\n",
			[]topic{{"Payments are never retried by the shop", "Never retry.", "", "", memory.KindNote, nil}},
		},
		"a text that is long": {"x.md", "---\nname: x\ndescription: what matters\n---\n" + long, []topic{{"what matters", "what matters", long, "", memory.KindNote, nil}}},
		"in a folder":         {"db/schema/x.md", "---\nname: x\n---\nUse ids.\n", []topic{{"x", "Use ids.", "", "schema", memory.KindNote, nil}}},
		"a mark":              {"x.md", "\ufeff---\r\nname: x\r\n---\r\nUse ids.\r\n", []topic{{"x", "Use ids.", "", "", memory.KindNote, nil}}},
		"no header":           {"x.md", "# Rules\n\n- Use ids.\n- Use tabs.\n", []topic{{"Use ids", "Use ids.", "", "", memory.KindNote, nil}, {"Use tabs", "Use tabs.", "", "", memory.KindNote, nil}}},
		"an index": {
			"MEMORY.md", "# Memory\n- [Has](has.md) — it is there\n- [Has](./has.md#part)\n- [Gone](gone.md) — it is not\n- Use ids.\n",
			[]topic{{"[Gone](gone.md) — it is not", "[Gone](gone.md) — it is not", "", "", memory.KindNote, nil}, {"Use ids", "Use ids.", "", "", memory.KindNote, nil}},
		},
		"only a header": {"x.md", "---\nname: x\n---\n", nil},
		"nothing":       {"x.md", " \n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			facts := musttest.Get(importer.AutoMemoryFile(c.file, []byte(c.text), func(name string) bool { return name == "has.md" }))(t)
			var got []topic
			for _, m := range facts {
				got = append(got, topic{m.Title, m.Content, m.Detail, m.Area, m.Kind, m.Cues})
			}
			musttest.Same(t, c.want, got, "the facts (-want +got)")
		})
	}
	musttest.Fails(t, musttest.Err(importer.AutoMemoryFile("x.md", []byte("gr\xfcn"), func(string) bool { return false })), "a text in another encoding is read")
}

// FuzzTopic: whatever a file holds, its facts have a text, a title and sizes that can be stored.
func FuzzTopic(f *testing.F) {
	for _, seed := range []string{
		"---\nname: a\ndescription: b\nmetadata:\n  type: feedback\n---\nc\n", "---\n---\n- a\n- [b](c.md)\n", "\ufeff# a\n\n```\nb\n", "---\ndescription: |\n  a\n  b\n", "\xff\xfea\x00", "| a | b |\n|---|---|\n| c | d |\n",
	} {
		f.Add("MEMORY.md", []byte(seed))
		f.Add("a/b.md", []byte(seed))
	}
	f.Add("a.md", []byte("---\nname: a\ndescription: b\n---\n"+strings.Repeat("All of it matters. ", 400)))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		facts, err := importer.AutoMemoryFile(name, data, func(name string) bool { return len(name)%2 == 0 })
		if err != nil && facts != nil {
			t.Errorf("%d facts and %v", len(facts), err)
		}
		for _, m := range facts {
			const mark = len("…")
			if memory.Normalise(m.Content) == "" || len(m.Content) > memory.MaxContent+mark || len(m.Detail) > memory.MaxContent+mark || !utf8.ValidString(m.Content) {
				t.Errorf("the content %q, with a detail of %d bytes", m.Content, len(m.Detail))
			}
			if !m.IsFact() || utf8.RuneCountInString(m.Title) > memory.MaxTitle || utf8.RuneCountInString(m.Area) > memory.MaxArea {
				t.Errorf("the title %q, the area %q", m.Title, m.Area)
			}
		}
	})
}
