// Package lived measures a memory by a replay of labelled real sessions. The sessions go through the real importer
// and ingest into an empty store, in the order in which they ended. Maintenance runs once a day, and the real
// briefing answers each query at its time. The package does not imitate these parts and keeps nothing of the
// sessions.
package lived

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/recallset"
)

// Fact is a labelled fact that would help in later sessions.
type Fact struct {
	ID, Session string
	Quote       string // verbatim, from a prompt or from last words
	By          string // the author
	Time        time.Time
}

// Query is a question to the memory.
type Query struct {
	ID, Session string
	Time        time.Time
	Kind        string // prompt, question or start
	Prompt      string
	Gold        []string // ids of the facts that would help, best first
	Silent      bool     // the right answer is no memory
}

// transcript is a session as the client recorded it.
type transcript struct {
	session string
	ended   time.Time
	file    string
}

// Folder is the labelled sessions of one person.
type Folder struct {
	Name     string
	Facts    map[string]Fact
	Queries  []Query // by time
	origin   string
	roots    []string
	prefixes []string // path prefixes of the machine on which the sessions ran

	transcripts []transcript // transcripts, sorted by the end of their sessions
	ended       map[string]time.Time
}

// Load reads a folder of labelled sessions: meta.json, facts.jsonl, queries.jsonl, and transcripts or
// transcripts.tar.xz, which tar unpacks into work.
func Load(dir, work string) (*Folder, error) {
	f := &Folder{Name: filepath.Base(filepath.Clean(dir)), Facts: map[string]Fact{}, ended: map[string]time.Time{}}
	meta, err := recallset.ReadLines[struct {
		Origin          string
		Roots, Prefixes []string
	}](filepath.Join(dir, "meta.json"))
	if err != nil {
		return nil, err
	}
	if len(meta) != 1 || len(meta[0].Roots) == 0 {
		return nil, fmt.Errorf("load %s: meta.json has no roots", dir)
	}
	f.origin, f.roots, f.prefixes = meta[0].Origin, meta[0].Roots, meta[0].Prefixes
	if _, err := f.readLabels(dir); err != nil {
		return nil, err
	}
	return f, f.findTranscripts(dir, work)
}

// readLabels reads facts.jsonl and queries.jsonl, and returns the facts in their order.
func (f *Folder) readLabels(dir string) ([]Fact, error) {
	facts, err := recallset.ReadLines[Fact](filepath.Join(dir, "facts.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, fact := range facts {
		f.Facts[fact.ID] = fact
	}
	f.Queries, err = recallset.ReadLines[Query](filepath.Join(dir, "queries.jsonl"))
	slices.SortStableFunc(f.Queries, func(a, b Query) int { return a.Time.Compare(b.Time) })
	return facts, err
}

// LoadSet makes a set from a folder of labelled sessions. The labelled facts are its memories, as if the rules had
// kept exactly these; the prompts and questions are its queries. It leaves out prompts that need a fact which no earlier
// session stated.
func LoadSet(dir string) (recallset.Set, error) {
	f, set := &Folder{Facts: map[string]Fact{}}, recallset.Set{Name: filepath.Base(dir)}
	facts, err := f.readLabels(dir)
	if err != nil {
		return set, err
	}
	for _, fact := range facts {
		set.Memories = append(set.Memories, recallset.Memory{ID: fact.ID, Session: fact.Session, CreatedAt: fact.Time, Content: fact.Quote, Source: fact.By})
	}
	slices.SortStableFunc(set.Memories, func(a, b recallset.Memory) int { return a.CreatedAt.Compare(b.CreatedAt) })
	for _, q := range f.Queries {
		earlier := slices.DeleteFunc(slices.Clone(q.Gold), func(id string) bool {
			return !f.Facts[id].Time.Before(q.Time) || f.Facts[id].Session == q.Session
		})
		if q.Kind != "start" && (len(earlier) > 0 || q.Silent) {
			set.Queries = append(set.Queries, recallset.Query{ID: q.ID, Text: q.Prompt, Evidence: earlier, AsOf: q.Time, Session: q.Session})
		}
	}
	return set, set.Validate(dir)
}

func (f *Folder) findTranscripts(dir, work string) error {
	from := filepath.Join(dir, "transcripts")
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		from = filepath.Join(work, "unpacked")
		if err := os.MkdirAll(from, 0o700); err != nil {
			return fmt.Errorf("unpack the transcripts: %w", err)
		}
		out, err := exec.Command("tar", "-xJf", filepath.Join(dir, "transcripts.tar.xz"), "-C", from).CombinedOutput()
		if err != nil {
			return fmt.Errorf("unpack the transcripts: %w: %s", err, out)
		}
	}
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".jsonl" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if ended, known := lastTime(data); known {
			session := strings.TrimSuffix(filepath.Base(path), ".jsonl")
			f.transcripts = append(f.transcripts, transcript{session, ended, path})
			f.ended[session] = ended
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the transcripts of %s: %w", dir, err)
	}
	slices.SortFunc(f.transcripts, func(a, b transcript) int {
		if c := a.ended.Compare(b.ended); c != 0 {
			return c
		}
		return strings.Compare(a.session, b.session)
	})
	return nil
}

var stamp = regexp.MustCompile(`"timestamp":\s?"(20[^"]+)"`)

// lastTime returns the latest time in a transcript, and whether there is one.
func lastTime(data []byte) (last time.Time, known bool) {
	for _, found := range stamp.FindAllSubmatch(data, -1) {
		if at, err := time.Parse(time.RFC3339, string(found[1])); err == nil && at.After(last) {
			last = at
		}
	}
	return last, !last.IsZero()
}

// known returns the helpful facts of a query that earlier sessions had stated by then.
func (f *Folder) known(q Query) []string {
	return slices.DeleteFunc(slices.Clone(q.Gold), func(id string) bool {
		fact := f.Facts[id]
		ended, is := f.ended[fact.Session]
		return !is || ended.After(q.Time) || fact.Session == q.Session
	})
}
