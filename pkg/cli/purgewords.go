package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/ruleblock"
)

// purgedWords has the numbers of what a purge of words, memories, a session or secrets removed, and lists what it cannot reach.
type purgedWords struct {
	daemonapi.ScrubResult
	Elsewhere []string `json:"elsewhere"` // the client's own files that contain the words or belong to the session
	Projects  []string `json:"projects"`  // keys of projects that keep the words in their key, name or folder, because the memory finds a project by these
	Rules     []string `json:"rules"`     // lines of instruction files with the words
	Kept      []string `json:"kept"`      // files that were not searched: data that a restore or a move to a server left
}

// purgeWords removes words, memories or a session from everything stored, or all secrets if params names none of
// these. It first counts the affected rows and asks.
func purgeWords(c *cli.Context, e *environment, params daemonapi.ScrubParams) (err error) {
	ctx, isDry := c.Context, c.Bool("dry-run")
	if params.Session != "" {
		if params.Session, err = sessionID(ctx, e, params.Session); err != nil {
			return err
		}
	}
	seen, err := daemonapi.MethodScrub.Ask(ctx, e.Daemon.CallLong, params)
	if err != nil {
		return err
	}
	answer := purgedWords{ScrubResult: seen, Elsewhere: []string{}, Projects: []string{}, Rules: []string{}}
	texts := append(slices.Clone(params.Words), seen.Named...)
	if len(texts) > 0 || params.Session != "" {
		if answer.Elsewhere, err = clientFilesWith(e, texts, params.Session); err == nil {
			err = answer.addProjects(ctx, e, texts, params.Words)
		}
	}
	if err == nil {
		answer.Kept, err = setAside(e)
	}
	if err != nil {
		return err
	}
	if !isDry {
		if err := e.Confirm(c.Bool("yes"), purgeQuestion(params, answer)); err != nil {
			return err
		}
		if err := applyPurge(ctx, e, params, &answer); err != nil {
			return err
		}
	}
	if err := e.Print(answer, func(w io.Writer) { purgedWordsPage(w, answer, params.IsPurge(), isDry) }); err != nil {
		return err
	}
	if n := len(answer.Failed); n > 0 {
		return fmt.Errorf("what you purged may still be in %s that could not be cleaned, the first is %s: run the command again, and delete damaged backups that you do not need",
			memory.Counted(n, "place"), terminal.Printable(answer.Failed[0]))
	}
	return nil
}

// applyPurge removes what was found, and stops the daemon, which may still hold it in RAM.
func applyPurge(ctx context.Context, e *environment, params daemonapi.ScrubParams, answer *purgedWords) error {
	params.Apply = true
	done, err := daemonapi.MethodScrub.Ask(ctx, e.Daemon.CallLong, params)
	if err != nil {
		return err
	}
	done.Named, answer.ScrubResult = nil, done
	if _, err := e.Daemon.Stop(ctx); err != nil {
		return fmt.Errorf("what you purged is gone from all files, but the daemon does not end and may still hold it in RAM: %w", err)
	}
	return nil
}

// sessionID returns the id of the only session whose id begins with the given text. It fails if there is none or more than one.
func sessionID(ctx context.Context, e *environment, id string) (string, error) {
	found, err := daemonapi.MethodSessions.Ask(ctx, e.Daemon.Call, daemonapi.SessionsParams{ID: id, Limit: 2})
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", fmt.Errorf("there is no session whose id begins with %q: %w", id, memory.ErrNotFound)
	case len(found) > 1:
		return "", usagef("the ids of several sessions begin with %q; memory sessions shows them", id)
	}
	return found[0].ID, nil
}

func purgeQuestion(params daemonapi.ScrubParams, seen purgedWords) string {
	later := ""
	switch n := len(seen.Projects); {
	case !params.IsPurge():
		return "This replaces secrets in the store, the journal and the backups, and empties all logs; it cannot be undone (--dry-run shows what there is). Go on?"
	case params.Session != "":
		later = ", nor is what you say later in this session"
	case n > 0:
		later = fmt.Sprintf("; the words stay in keys and folders of %s (%s)", memory.Counted(n, "project"), terminal.Printable(strings.Join(seen.Projects, ", ")))
	}
	return "This deletes for good: " + rowCounts(seen.Deleted) + ". What you purge is never stored again" + later + ". Go on?"
}

// rowCounts describes the numbers of rows by table.
func rowCounts(rows map[string]int) string {
	others := -rows["memory"] - rows["prompt"]
	for _, n := range rows {
		others += n
	}
	return fmt.Sprintf("%s, %s and %s about them", memory.Counted(rows["memory"], "memory"), memory.Counted(rows["prompt"], "prompt"), memory.Counted(others, "record"))
}

// purgedWordsPage writes what a purge (isPurge) or a redaction of secrets has changed or, with isDry, would change.
func purgedWordsPage(w io.Writer, done purgedWords, isPurge, isDry bool) {
	would := map[bool]string{true: "would be "}[isDry]
	if !isPurge && len(done.Kinds) == 0 {
		_, _ = fmt.Fprintln(w, "the rules find no secrets")
	}
	for _, kind := range slices.Sorted(maps.Keys(done.Kinds)) {
		_, _ = fmt.Fprintf(w, "%s: %d\n", kind, done.Kinds[kind])
	}
	if isPurge {
		_, _ = fmt.Fprintf(w, "%sdeleted: %s, %s\n", would, rowCounts(done.Deleted), memory.Counted(done.Spooled, "waiting event"))
	}
	_, _ = fmt.Fprintf(w, "%scleaned: %s, %s of the journal, %s; emptied: %s\n", would, rowCounts(done.Cleaned),
		memory.Counted(done.Journal.Records, "line"), memory.Counted(len(done.Backups), "backup"), memory.Counted(done.Logs, "log"))
	if done.Journal.Lost > 0 {
		_, _ = fmt.Fprintf(w, "damaged lines of the journal, deleted because they cannot be searched: %d\n", done.Journal.Lost)
	}
	list := func(what string, files []string) {
		const most = 20
		if len(files) > 0 {
			_, _ = fmt.Fprintf(w, "%s:\n", what)
		}
		for _, file := range files[:min(len(files), most)] {
			_, _ = fmt.Fprintf(w, "  %s\n", terminal.Printable(file))
		}
		if n := len(files) - most; n > 0 {
			_, _ = fmt.Fprintf(w, "  and %d more\n", n)
		}
	}
	list("the client's files with purged text; delete them yourself", done.Elsewhere)
	list("rules with purged text; delete the lines yourself, or with memory rule --off ID", done.Rules)
	list("projects that still have purged words in their key or folder; memory purge --project KEY deletes a project", done.Projects)
	list("older copies of the store, not searched; delete what you do not need", done.Kept)
	others := "The next memory sync replaces these files, and your other machines then purge the same"
	if !isPurge {
		others = "Run this command on your other machines, too"
	}
	_, _ = fmt.Fprintf(w, "not searched: exports, backups that you copied elsewhere, and the encrypted files of memory sync. %s\n", others)
}

// addProjects adds the projects whose key, name or folder contains one of the words, and the rules in instruction files that contain one of the texts.
func (r *purgedWords) addProjects(ctx context.Context, e *environment, texts, words []string) error {
	all, err := e.AllProjects(ctx)
	if err != nil || len(texts) == 0 {
		return err
	}
	list, err := new(purged.List).With(texts, nil, nil)
	if err != nil {
		return err
	}
	for _, one := range all {
		if len(words) > 0 && slices.ContainsFunc([]string{one.Key, one.Name, one.Root}, func(text string) bool { return list.Clean(text) != text }) {
			r.Projects = append(r.Projects, one.Key)
		}
		r.Rules = append(r.Rules, namedRules(one.Root, func(rule ruleblock.Rule) bool { return list.Clean(rule.Text) != rule.Text })...)
	}
	return nil
}

// clientFilesWith returns the files of Claude Code and Codex that contain one of the texts, ignoring case, or have
// the session's id in their names.
func clientFilesWith(e *environment, texts []string, session string) ([]string, error) {
	lower := memory.Each(texts, strings.ToLower)
	files := []string{}
	codex := codexOf(e)
	for _, root := range []string{filepath.Join(e.ClientDir(), "projects"), filepath.Join(e.ClientDir(), "history.jsonl"), codex.Transcripts()} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return nil // does not exist, or is not readable
			}
			if session != "" && strings.Contains(entry.Name(), session) || len(lower) > 0 && holdsOne(path, lower) {
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// holdsOne reports whether a line of a file contains one of the texts, ignoring case. The texts must be in lower case.
func holdsOne(path string, lower []string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewReaderSize(file, 1<<20)
	for {
		line, err := lines.ReadString('\n')
		line = strings.ToLower(line)
		if slices.ContainsFunc(lower, func(text string) bool { return strings.Contains(line, text) }) {
			return true
		}
		if err != nil {
			return false
		}
	}
}
