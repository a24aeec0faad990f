// Package lived measures a memory by a replay of labelled real sessions. In the order
// in which they ended, the sessions go through the real importer and ingest into an
// in-memory store; maintenance runs once a day, and the real briefing answers each query
// at its time. The package imitates none of these, and keeps nothing of the sessions.
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
	Quote       string // verbatim, of a prompt or of last words
	Fact        string // in the labeller's words
	Worth       int    // 2: who does not know it goes wrong
}

// Query is a question to the memory.
type Query struct {
	ID, Session string
	Time        time.Time
	Kind        string // prompt, question or start
	Prompt      string
	Gold        []string // ids of the facts that would help, the best first
	Silent      bool     // the right answer is none
}

// transcript is a session as the client kept it.
type transcript struct {
	session string
	ended   time.Time
	file    string
}

// Folder is one person's labelled sessions.
type Folder struct {
	Name     string
	Facts    map[string]Fact
	Queries  []Query // by time
	origin   string
	roots    []string
	prefixes []string // of paths of the machine that the sessions ran on

	transcripts []transcript // by the time they ended
	ended       map[string]time.Time
}

// Load reads a folder of labelled sessions: meta.json, facts.jsonl, queries.jsonl,
// and transcripts or transcripts.tar.xz, which is unpacked into work by tar.
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
		return nil, fmt.Errorf("load %s: meta.json names no root", dir)
	}
	f.origin, f.roots, f.prefixes = meta[0].Origin, meta[0].Roots, meta[0].Prefixes
	facts, err := recallset.ReadLines[Fact](filepath.Join(dir, "facts.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, fact := range facts {
		f.Facts[fact.ID] = fact
	}
	if f.Queries, err = recallset.ReadLines[Query](filepath.Join(dir, "queries.jsonl")); err != nil {
		return nil, err
	}
	slices.SortStableFunc(f.Queries, func(a, b Query) int { return a.Time.Compare(b.Time) })
	return f, f.findTranscripts(dir, work)
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

// lastTime is the latest time of a transcript.
func lastTime(data []byte) (last time.Time, known bool) {
	for _, found := range stamp.FindAllSubmatch(data, -1) {
		if at, err := time.Parse(time.RFC3339, string(found[1])); err == nil && at.After(last) {
			last = at
		}
	}
	return last, !last.IsZero()
}

// known are the facts that a query's gold names and an earlier session had by then.
func (f *Folder) known(q Query) []string {
	return slices.DeleteFunc(slices.Clone(q.Gold), func(id string) bool {
		fact := f.Facts[id]
		ended, is := f.ended[fact.Session]
		return !is || ended.After(q.Time) || fact.Session == q.Session
	})
}
