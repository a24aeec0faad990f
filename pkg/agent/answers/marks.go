package answers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Recall decides what a prompt is given.
type Recall interface {
	Why(context.Context, agentapi.WhyParams) (agentapi.WhyResult, error)
}

// Marks is the evaluation set of a home: a person's marks on wrong answers, one line of JSON a mark,
// which recall is checked against. The file names memories by their ids, so that the text of a
// forgotten one is not kept here. Its methods are safe for concurrent use.
type Marks struct {
	File  string // empty: nothing is kept
	Clean func(string) string
	Now   func() time.Time
	// Recall answers the prompts of projects, which may have been merged since they were marked.
	Recall  Recall
	Aliases interface{ Resolve(project string) string }

	mu sync.Mutex // held while the file is written
}

// Mark adds a verdict, without secrets in its texts.
func (s *Marks) Mark(_ context.Context, m agentapi.Mark) (agentapi.None, error) {
	m.Prompt = s.Clean(strings.TrimSpace(m.Prompt))
	if m.Prompt == "" {
		return agentapi.None{}, fmt.Errorf("a mark without a prompt: %w", memory.ErrInvalid)
	}
	if s.File == "" {
		return agentapi.None{}, errors.New("this agent keeps no evaluation set")
	}
	m.At = s.Now().UTC()
	line, err := json.Marshal(m)
	if err != nil {
		return agentapi.None{}, fmt.Errorf("write the mark: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	file, err := os.OpenFile(s.File, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return agentapi.None{}, fmt.Errorf("write the mark: %w", err)
	}
	_, err = file.Write(append(line, '\n'))
	return agentapi.None{}, errors.Join(err, file.Close())
}

// Run asks recall about each marked prompt. Of several marks of a prompt about the same
// thing the last one counts.
func (s *Marks) Run(ctx context.Context, _ agentapi.None) (agentapi.Evaluation, error) {
	result := agentapi.Evaluation{File: s.File, Failed: []agentapi.FailedMark{}}
	marks, err := s.marks()
	if err != nil {
		return result, err
	}
	for _, m := range marks {
		answer, err := s.Recall.Why(ctx, agentapi.WhyParams{Project: s.Aliases.Resolve(m.Project), Text: m.Prompt})
		if err != nil {
			return result, fmt.Errorf("evaluate %q: %w", memory.Cut(m.Prompt, 60), err)
		}
		why := ""
		if m.Memory == "" {
			result.Silences++
			if why = brokenSilence(answer); why == "" {
				result.Kept++
			}
		} else {
			result.Wanted++
			if why = missing(answer, m.Memory); why == "" {
				result.Recalled++
			}
		}
		if why != "" {
			result.Failed = append(result.Failed, agentapi.FailedMark{Mark: m, Why: why})
		}
	}
	return result, nil
}

func brokenSilence(answer agentapi.WhyResult) string {
	if answer.Silent {
		return ""
	}
	return "it is given: " + memory.Cut(answer.Injected[0].Memory.Content, 120)
}

// missing is the reason why a memory is not in the context of a new session after its first prompt;
// empty if it is, be it since the start.
func missing(answer agentapi.WhyResult, id string) string {
	is := func(hit agentapi.WhyHit) bool { return hit.Memory.ID == id }
	if slices.ContainsFunc(answer.Injected, is) || slices.Contains(answer.AtStart, id) {
		return ""
	}
	if at := slices.IndexFunc(answer.Skipped, is); at >= 0 {
		return answer.Skipped[at].Why
	}
	return "it shares no word with this prompt, or nobody asked to keep it"
}

// marks reads the marks that count: of several of a prompt about the same thing the last.
func (s *Marks) marks() ([]agentapi.Mark, error) {
	lines, err := s.lines()
	var all []agentapi.Mark
	for _, m := range lines {
		// A mark for silence takes back the marks for memories, and the other way round.
		all = slices.DeleteFunc(all, func(o agentapi.Mark) bool {
			return o.Project == m.Project && o.Prompt == m.Prompt && (o.Memory == m.Memory || o.Memory == "" || m.Memory == "")
		})
		all = append(all, m)
	}
	return all, err
}

// lines reads the file; a line that cannot be read is left out, such as one that was cut
// by a full disk.
func (s *Marks) lines() ([]agentapi.Mark, error) {
	data, err := os.ReadFile(s.File)
	if errors.Is(err, fs.ErrNotExist) || s.File == "" {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the evaluation set: %w", err)
	}
	var all []agentapi.Mark
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		var m agentapi.Mark
		if json.Unmarshal(lines.Bytes(), &m) == nil && m.Prompt != "" {
			all = append(all, m)
		}
	}
	return all, lines.Err()
}

// Rewrite passes each prompt through clean, and returns how many it changed. With apply the file is
// replaced; lines that cannot be read are dropped with it.
func (s *Marks) Rewrite(apply bool, clean func(string) string) (changed int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	marks, err := s.lines()
	for i, m := range marks {
		if cleaned := clean(m.Prompt); cleaned != m.Prompt {
			marks[i].Prompt = cleaned
			changed++
		}
	}
	if err != nil || !apply || changed == 0 {
		return changed, err
	}
	return changed, s.replace(marks)
}

// Discard deletes the marks of projects, by their keys.
func (s *Marks) Discard(isOf func(project string) bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	marks, err := s.lines()
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(marks), func(m agentapi.Mark) bool { return isOf(m.Project) })
	if len(left) == len(marks) {
		return nil
	}
	return s.replace(left)
}

func (s *Marks) replace(marks []agentapi.Mark) error {
	var text bytes.Buffer
	for _, m := range marks {
		line, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("write the evaluation set: %w", err)
		}
		text.Write(append(line, '\n'))
	}
	if err := atomicfile.Write(s.File, 0o600, text.Bytes()); err != nil {
		return fmt.Errorf("write the evaluation set: %w", err)
	}
	return nil
}
