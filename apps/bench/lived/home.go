package lived

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/recallset"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/tokens"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	words "github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// home is a person's computer: a daemon with its own store.
type home struct {
	folder *Folder
	work   string
	now    func() time.Time
	config config.Config
	store  daemon.Store
	daemon *daemon.Daemon

	answers *answers        // nil: no session is distilled
	beside  []besideSession // sessions that have not ended yet

	project project.Project
	next    int    // index of the next transcript to end
	day     string // day of the last maintenance
}

func newHome(f *Folder, work string, now func() time.Time, s Settings) (*home, error) {
	store, _, err := surrealtest.New()
	if err != nil {
		return nil, err
	}
	h := &home{folder: f, work: work, now: now, config: config.Default(), store: store}
	options := daemon.Options{Store: h.store, Counter: tokens.New(), Config: h.config, Layout: paths.Layout{Home: filepath.Join(work, "home")}, Log: slog.New(slog.DiscardHandler), Now: now}
	if s.Answers != "" {
		if h.answers, err = loadAnswers(s.Answers); err != nil {
			return nil, err
		}
		settings := unlimited(h.config.Distill)
		options.Distills = func() (config.Distill, distill.Model) { return settings, h.answers }
	}
	h.daemon = daemon.New(daemontest.Complete(options))
	if h.beside, err = loadBeside(f, s.Beside); err != nil {
		return nil, err
	}
	for _, root := range f.roots {
		if err := repository(h.moved(root), f.origin); err != nil {
			return nil, err
		}
	}
	h.project, err = project.Identify(h.moved(f.roots[0]))
	return h, err
}

// repository makes the .git folder that identifies a project.
func repository(root, origin string) error {
	git := filepath.Join(root, ".git")
	err := errors.Join(os.MkdirAll(git, 0o700),
		os.WriteFile(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600),
		os.WriteFile(filepath.Join(git, "config"), []byte("[remote \"origin\"]\n\turl = "+origin+"\n"), 0o600))
	if err != nil {
		return fmt.Errorf("make a repository: %w", err)
	}
	return nil
}

// moved returns a text with the paths of the original machine replaced by paths below the work folder.
func (h *home) moved(text string) string {
	for _, prefix := range h.folder.prefixes {
		text = strings.ReplaceAll(text, prefix, h.work+prefix)
	}
	return text
}

var workingDir = regexp.MustCompile(`"cwd":\s?"([^"]+)"`)

// liveUntil imports the sessions that ended before until, and runs maintenance when a new day begins.
func (h *home) liveUntil(ctx context.Context, until time.Time) error {
	if err := h.besideUntil(ctx, until); err != nil {
		return err
	}
	var ended []importer.Transcript
	for ; h.next < len(h.folder.transcripts) && !h.folder.transcripts[h.next].ended.After(until); h.next++ {
		t, err := h.place(h.folder.transcripts[h.next])
		if err != nil {
			return err
		}
		ended = append(ended, t)
	}
	if len(ended) == 0 {
		return nil
	}
	run := importer.TranscriptImport{
		Known: h.daemon.Intake.KnownSessions,
		ProjectOf: func(dir string) (project.Project, bool) {
			where, _ := project.Identify(dir) // usable even if something is wrong with the repository
			return where, false
		},
		Writer: &importer.Writer{Send: func(ctx context.Context, events []memory.Event) (daemonapi.ImportResult, error) {
			return h.daemon.Intake.Import(ctx, daemonapi.ImportParams{Events: events})
		}},
	}
	if _, err := run.Run(ctx, ended); err != nil {
		return err
	}
	if err := h.distil(ctx, ended); err != nil {
		return err
	}
	if day := until.UTC().Format(time.DateOnly); day != h.day {
		h.day = day
		if _, err := h.daemon.Upkeep.Consolidate(ctx, daemonapi.ConsolidateParams{Trigger: "manual"}); err != nil {
			return err
		}
	}
	return nil
}

// place writes a transcript to its path on this machine.
func (h *home) place(t transcript) (importer.Transcript, error) {
	data, err := os.ReadFile(t.file)
	if err != nil {
		return importer.Transcript{}, fmt.Errorf("place a transcript: %w", err)
	}
	text, dir := h.moved(string(data)), h.project.Dir
	for i, found := range workingDir.FindAllStringSubmatch(text, -1) {
		if i == 0 {
			dir = found[1]
		}
		if strings.HasPrefix(found[1], h.work) {
			err = os.MkdirAll(found[1], 0o700)
		}
		if err != nil {
			return importer.Transcript{}, fmt.Errorf("place a transcript: %w", err)
		}
	}
	file := filepath.Join(h.work, "projects", client.Slug(dir), t.session+".jsonl")
	if err = os.MkdirAll(filepath.Dir(file), 0o700); err == nil {
		err = os.WriteFile(file, []byte(text), 0o600)
	}
	if err != nil {
		return importer.Transcript{}, fmt.Errorf("place a transcript: %w", err)
	}
	return importer.Transcript{File: file, Session: t.session, Dir: dir}, nil
}

// start returns the context that a hook injects into a new session.
func (h *home) start(ctx context.Context, session string) (daemonapi.ContextResult, error) {
	return h.daemon.Briefing.SessionContext(ctx, daemonapi.SessionContextParams{
		Project: h.project.Key, Session: session, Source: "startup", TokenBudget: h.config.Hooks.SessionStartTokens,
	})
}

// prompt returns the text that a hook injects with a prompt of a session.
func (h *home) prompt(ctx context.Context, session, prompt string) (string, error) {
	prompt = describe.Prompt(prompt, words.Line{})
	if prompt == "" || language.IsContinuation(prompt) {
		return "", nil
	}
	_, _ = h.daemon.Briefing.Index(ctx, h.project.Key)
	limits := h.config.Hooks
	result, err := h.daemon.Briefing.Recall(ctx, daemonapi.RecallParams{
		Purpose: daemonapi.ForPrompt, Project: h.project.Key, Session: session, Text: prompt,
		TokenBudget: limits.PromptTokens, MaxLines: limits.PromptLines, Hint: true,
	})
	return result.Text, err
}

// injected is the text that hooks inject for a query.
type injected struct {
	alone string // text injected for the prompt, in a session whose start was not asked for
	begun *begun // texts of a prompt in a session that has started, as in real use
}

type begun struct {
	start  daemonapi.ContextResult
	prompt string
	facts  int    // number of active facts in the project
	plain  string // the titles of the five facts that BM25 finds for the prompt, one a line
}

// plainTitles is how many titles the plain baseline gives with every prompt.
const plainTitles = 5

// ask asks a query and returns the injected texts.
func (h *home) ask(ctx context.Context, q Query) (got injected, err error) {
	if q.Kind == "start" {
		result, err := h.start(ctx, "asks-"+q.ID)
		return injected{alone: result.Text}, err
	}
	if got.alone, err = h.prompt(ctx, "asks-"+q.ID, q.Prompt); err != nil || q.Kind != "prompt" {
		return got, err
	}
	got.begun = &begun{}
	if got.begun.start, err = h.start(ctx, "begins-"+q.ID); err == nil {
		got.begun.prompt, err = h.prompt(ctx, "begins-"+q.ID, q.Prompt)
	}
	if err == nil {
		err = h.askPlainly(ctx, q, got.begun)
	}
	return got, err
}

// askPlainly adds the number of facts, and the titles of the plain baseline.
func (h *home) askPlainly(ctx context.Context, q Query, b *begun) error {
	index, err := h.daemon.Briefing.Index(ctx, h.project.Key)
	if err != nil {
		return err
	}
	titles, facts := map[string]string{}, []recallset.Memory{}
	for _, m := range index.Standing() {
		if !m.IsFact() {
			continue
		}
		titles[m.ID] = m.Title
		facts = append(facts, recallset.Memory{ID: m.ID, Content: strings.Join(append([]string{m.Content}, m.Cues...), "\n")})
	}
	found := recallset.PlainRank(facts, q.Prompt, recallset.Terms)
	for _, id := range found[:min(plainTitles, len(found))] {
		b.plain += titles[id] + "\n"
	}
	b.facts = len(facts)
	return nil
}
