package lived

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/recallset"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/tokens"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

// solved is a past session of SWE-ContextBench, in which Claude Code solved an issue of a repository.
type solved struct {
	id, repository string
	words          map[string]float64 // words of the first prompt and the last words, for BM25
	length         float64
	files          []string // files that the session edited
}

// issue is a new issue. A session is right if it edited a file that the issue's fix changes.
type issue struct {
	repository, text string
	right            map[string]bool // ids of sessions
}

// FoundSessions has, for one way of asking, the number of issues with a right session among the first 1, 3 and 5.
type FoundSessions struct {
	By              string
	Issues, Nothing int
	Found, Plain    [3]int // sessions found by this memory, and by BM25 over the same repository
}

// asking are the ways to ask by an issue's text.
var asking = []struct {
	by  string
	cut func(text string) string
}{
	{"the title", titleOfIssue},
	{"the first 500 characters", func(text string) string { return firstRunes(comment.ReplaceAllString(text, ""), 500) }},
	{"the whole issue", func(text string) string { return firstRunes(text, 4000) }},
}

// SWEContext imports the past sessions of SWE-ContextBench Lite, one project for each repository, and asks for them by the new issues.
// dir is the folder cases in a clone of the benchmark.
func SWEContext(ctx context.Context, dir string) (all []FoundSessions, err error) {
	work, err := os.MkdirTemp("", "swecontext-")
	if err != nil {
		return nil, fmt.Errorf("import the past sessions: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	store, _, err := surrealtest.New()
	if err != nil {
		return nil, err
	}
	d := daemon.New(daemontest.Complete(daemon.Options{
		Store: store, Counter: tokens.New(), Config: config.Default(), Layout: paths.Layout{Home: filepath.Join(work, "home")},
		Log: slog.New(slog.DiscardHandler), Now: time.Now,
	}))
	past, err := importSolved(ctx, d, dir, work)
	if err != nil {
		return nil, err
	}
	issues, err := issuesOf(dir, past)
	if err != nil {
		return nil, err
	}
	for _, way := range asking {
		f := FoundSessions{By: way.by, Issues: len(issues)}
		for _, one := range issues {
			text := way.cut(one.text)
			found, err := sessionsFor(ctx, d, one.repository, text)
			if err != nil {
				return nil, err
			}
			f.Nothing += count(len(found) == 0)
			f.add(one, found, plainSessions(past, one.repository, text))
		}
		all = append(all, f)
	}
	return all, nil
}

func (f *FoundSessions) add(one issue, found, plain []string) {
	for i, first := range []int{1, 3, 5} {
		isRight := func(id string) bool { return one.right[id] }
		f.Found[i] += count(slices.ContainsFunc(found[:min(first, len(found))], isRight))
		f.Plain[i] += count(slices.ContainsFunc(plain[:min(first, len(plain))], isRight))
	}
}

// sessionsFor asks like memory recall, and returns the sessions of the answer's memories in their order.
func sessionsFor(ctx context.Context, d *daemon.Daemon, repository, text string) (sessions []string, err error) {
	answer, err := d.Answers.Answer(ctx, daemonapi.AnswerParams{
		TokenBudget: 1000, FindParams: daemonapi.FindParams{Project: repository, Text: text, Limit: 50},
	})
	if err != nil {
		return nil, err
	}
	for _, m := range answer.Memories {
		fetched, err := d.Answers.Fetch(ctx, daemonapi.FetchParams{Project: repository, IDs: []string{m.ID}})
		if err != nil {
			return nil, err
		}
		if got := fetched.Memories; len(got) == 1 && !slices.Contains(sessions, got[0].Session) {
			sessions = append(sessions, got[0].Session)
		}
	}
	return sessions, nil
}

var (
	instance  = regexp.MustCompile(`instance_id: *([A-Za-z0-9_.-]+?)(?:\\n|\s)`)
	sessionID = regexp.MustCompile(`"sessionId":"([^"]+)"`)
)

// importSolved imports the past sessions.
func importSolved(ctx context.Context, d *daemon.Daemon, dir, work string) (past []solved, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "SWEContextBench Lite Past Experience", "*.jsonl"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s has no past sessions: clone https://github.com/jiayuanz3/SWEContextBench and give its folder cases to --dataset: %w", dir, cmp.Or(err, os.ErrNotExist))
	}
	var transcripts []importer.Transcript
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read a past session: %w", err)
		}
		name, id := instance.FindSubmatch(text), sessionID.FindSubmatch(text)
		if name == nil || id == nil {
			return nil, fmt.Errorf("%s names no issue or session", file)
		}
		repository, _, _ := strings.Cut(string(name[1]), "__")
		s, moved := solvedIn(string(text), filepath.Join(work, repository))
		s.id, s.repository = string(id[1]), repository
		t := importer.Transcript{Session: s.id, Dir: filepath.Join(work, repository)}
		t.File = filepath.Join(work, "projects", client.Slug(t.Dir), s.id+".jsonl")
		if err := os.MkdirAll(filepath.Dir(t.File), 0o700); err != nil {
			return nil, fmt.Errorf("place a past session: %w", err)
		}
		if err := os.WriteFile(t.File, []byte(moved), 0o600); err != nil {
			return nil, fmt.Errorf("place a past session: %w", err)
		}
		past, transcripts = append(past, s), append(transcripts, t)
	}
	run := importer.TranscriptImport{
		Known: d.Intake.KnownSessions,
		ProjectOf: func(dir string) (project.Project, bool) {
			name := filepath.Base(dir)
			return project.Project{Key: name, Name: name, Root: dir, Dir: dir}, false
		},
		Writer: &importer.Writer{Send: func(ctx context.Context, events []memory.Event) (daemonapi.ImportResult, error) {
			return d.Intake.Import(ctx, daemonapi.ImportParams{Events: events})
		}},
	}
	_, err = run.Run(ctx, transcripts)
	return past, err
}

// solvedIn reads a transcript, and returns it with dir in the place of the folder in which it ran.
func solvedIn(text, dir string) (s solved, moved string) {
	type part struct {
		Type, Text, Name string
		Input            struct {
			File string `json:"file_path"`
		}
	}
	var lines []string
	prompt, last := "", ""
	for line := range strings.Lines(text) {
		var whole map[string]json.RawMessage
		if json.Unmarshal([]byte(line), &whole) != nil {
			continue
		}
		if whole["cwd"] != nil {
			whole["cwd"], _ = json.Marshal(dir)
		}
		again, _ := json.Marshal(whole)
		lines = append(lines, string(again))
		var entry struct {
			Type    string
			Message struct {
				Role    string
				Content json.RawMessage
			}
		}
		_ = json.Unmarshal(again, &entry)
		parts, typed := []part{}, ""
		_ = json.Unmarshal(entry.Message.Content, &parts) // else it is a text
		if json.Unmarshal(entry.Message.Content, &typed) == nil && entry.Type == "user" {
			prompt = cmp.Or(prompt, typed)
		}
		for _, p := range parts {
			switch {
			case p.Type == "text" && entry.Message.Role == "user":
				prompt = cmp.Or(prompt, p.Text)
			case p.Type == "text":
				last = p.Text
			case p.Type == "tool_use" && slices.Contains([]string{"Edit", "Write", "MultiEdit"}, p.Name) && p.Input.File != "":
				s.files = append(s.files, p.Input.File)
			}
		}
	}
	s.words = map[string]float64{}
	for _, word := range issueWords(prompt + " " + last) {
		s.words[word]++
		s.length++
	}
	return s, strings.Join(lines, "\n") + "\n"
}

var (
	changed  = regexp.MustCompile(`(?m)^diff --git a/(\S+)`)
	isSource = regexp.MustCompile(`\.(py|pyx|c|h)$`)
)

// issuesOf reads the new issues for which some past session is right.
func issuesOf(dir string, past []solved) (all []issue, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "SWEContextBench Lite", "*.json"))
	if err != nil {
		return nil, fmt.Errorf("list the issues: %w", err)
	}
	for _, file := range files {
		read, err := recallset.ReadLines[struct {
			Instance string `json:"instance_id"`
			Problem  string `json:"problem_statement"`
			Patch    string
		}](file)
		if err != nil || len(read) != 1 {
			return nil, fmt.Errorf("%s is no issue: %w", file, cmp.Or(err, os.ErrInvalid))
		}
		one := issue{text: read[0].Problem, right: map[string]bool{}}
		one.repository, _, _ = strings.Cut(read[0].Instance, "__")
		var source, others []string
		for _, found := range changed.FindAllStringSubmatch(read[0].Patch, -1) {
			if others = append(others, found[1]); isSource.MatchString(found[1]) && !strings.Contains(found[1], "test") {
				source = append(source, found[1])
			}
		}
		if len(source) == 0 {
			source = others
		}
		for _, s := range past {
			for _, edited := range s.files {
				if slices.ContainsFunc(source, func(file string) bool { return strings.HasSuffix(edited, "/"+file) }) {
					one.right[s.id] = true
				}
			}
		}
		if len(one.right) > 0 {
			all = append(all, one)
		}
	}
	return all, nil
}

var (
	comment   = regexp.MustCompile(`(?s)<!--.*?-->`)
	issueWord = regexp.MustCompile(`[a-z_][a-z_0-9]{2,}`)
)

// titleOfIssue returns the first line of an issue with more than 15 characters.
func titleOfIssue(text string) string {
	for line := range strings.Lines(comment.ReplaceAllString(text, "")) {
		if len([]rune(strings.TrimSpace(line))) > 15 {
			return strings.Trim(line, " #\n\r")
		}
	}
	return firstRunes(text, 200)
}

func firstRunes(text string, n int) string {
	runes := []rune(text)
	return string(runes[:min(n, len(runes))])
}

// issueWords returns the words of a text, cut to seven letters in place of a stem.
func issueWords(text string) []string {
	words := issueWord.FindAllString(strings.ToLower(text), -1)
	for i, word := range words {
		words[i] = word[:min(len(word), 7)]
	}
	return words
}

// plainSessions ranks the sessions of a repository by BM25 over the first prompts and last words.
func plainSessions(past []solved, repository, text string) []string {
	has, length := map[string]float64{}, 0.0
	for _, s := range past {
		length += s.length / float64(len(past))
		for word := range s.words {
			has[word]++
		}
	}
	asked := map[string]bool{}
	for _, word := range issueWords(text) {
		asked[word] = true
	}
	score := func(s solved) (sum float64) {
		for word := range asked {
			if n := s.words[word]; n > 0 {
				idf := math.Log1p((float64(len(past)) - has[word] + 0.5) / (has[word] + 0.5))
				sum += idf * n * 2.2 / (n + 1.2*(0.25+0.75*s.length/length))
			}
		}
		return sum
	}
	scores := map[string]float64{}
	var ids []string
	for _, s := range past {
		if s.repository == repository {
			ids, scores[s.id] = append(ids, s.id), score(s)
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(b, a)) })
	return ids
}

// Write prints the figures, BM25's in brackets.
func (f FoundSessions) Write(out io.Writer) error {
	_, err := fmt.Fprintf(out, "%s: a right session among the first 1, 3, 5 of %d:", f.By, f.Issues)
	for i := range f.Found {
		if err == nil {
			_, err = fmt.Fprintf(out, " %s (%s)", share(f.Found[i], f.Issues), share(f.Plain[i], f.Issues))
		}
	}
	if err == nil {
		_, err = fmt.Fprintf(out, "; nothing at all: %d\n", f.Nothing)
	}
	return err
}
