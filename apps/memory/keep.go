package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// keepTime bounds the wait for what is safe already to become searchable.
const keepTime = 5 * time.Second

// The most that one memory may have, as for a model.
const (
	maxTags = 20
	maxTag  = 40 // bytes
)

func (p *program) rememberCommand() *cli.Command {
	return &cli.Command{
		Name: "remember", Usage: "keep something", ArgsUsage: "TEXT | -",
		Description: described("With - the text is read from standard input. Secrets and private parts are left out.",
			"memory remember the staging port is 6543", `memory remember --kind todo --tag release "rotate the staging token"`, "git log -1 --format=%B | memory remember --kind decision -"),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "kind", Usage: "what `KIND` it is: note, todo, convention, decision or preference", Value: string(memory.KindNote)},
			&cli.StringSliceFlag{Name: "tag", Usage: "a `WORD` to find it by; may be given again"},
			&cli.StringSliceFlag{Name: "file", Usage: "a `PATH` it is about, relative to the project; may be given again"},
			projectFlag(), jsonFlag(),
		},
		Action: p.remember,
	}
}

// kept is what remember answers.
type kept struct {
	ID         string      `json:"id,omitempty"`
	Kind       memory.Kind `json:"kind"`
	Project    string      `json:"project"`
	Searchable bool        `json:"searchable"`
	Redacted   int         `json:"redacted"` // secrets and private parts that were left out
}

// remember goes the way of every capture, through the spool: it works without
// an agent or a store.
func (p *program) remember(c *cli.Context) error {
	text, err := p.textOf(c)
	if err != nil {
		return err
	}
	text, redacted, err := cleaned(text, "the text")
	if err != nil {
		return err
	}
	kind := memory.Kind(c.String("kind"))
	switch kind {
	case memory.KindNote, memory.KindTodo, memory.KindConvention, memory.KindDecision, memory.KindPreference, memory.KindCorrection:
	default:
		return usagef("there is no kind %q to remember; see memory remember --help", kind)
	}
	tags, err := cleanedTags(c.StringSlice("tag"))
	if err != nil {
		return err
	}
	where, err := p.project(c)
	if err != nil {
		return err
	}
	if where.IsOff(p.paths.OffMark(where.Key)) {
		return fmt.Errorf("the memory is switched off for the project %s; memory projects on switches it on", where.Name)
	}
	now := p.now()
	session := p.getenv("MEMORY_SESSION_ID")
	if session == "" {
		session = "cli-" + now.UTC().Format(time.DateOnly) + "-" + memory.FileID(where.Key, "")[:8] // a session is of one project
	}
	event := memory.Event{
		ID: memory.NewEventID(now), At: now.UTC(), Kind: memory.EventRemembered, Session: session,
		Project: memory.Project{Key: where.Key, Name: where.Name, Root: where.Root}, Dir: where.Dir,
		RememberedKind: kind, ByUser: !p.inModelsShell(), Text: text, Tags: tags,
	}
	for _, file := range c.StringSlice("file") {
		event.Files = append(event.Files, where.Rel(file))
	}
	if err := spool.New(p.paths.Spool()).Put(event); err != nil {
		return err
	}
	answer := kept{Kind: kind, Project: where.Name, Redacted: redacted}
	if m, err := p.becomes(c.Context, event); err == nil {
		answer.ID, answer.Searchable = memory.ShortID(m.ID), true
	}
	return p.print(c, answer, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "remembered as %s of %s", a(string(kind)), printable(where.Name))
		if answer.Searchable {
			_, _ = fmt.Fprintf(w, ": %s\n", answer.ID)
		} else {
			_, _ = fmt.Fprintln(w, "; it waits in the spool for the agent")
		}
		if redacted > 0 {
			_, _ = fmt.Fprintf(w, "%s left out\n", map[bool]string{true: "1 secret or private part was", false: fmt.Sprintf("%d secrets or private parts were", redacted)}[redacted == 1])
		}
	})
}

// becomes has the event ingested, if an agent is there, and returns the memory.
func (p *program) becomes(ctx context.Context, e memory.Event) (memory.Memory, error) {
	ctx, cancel := context.WithTimeout(ctx, keepTime)
	defer cancel()
	client, err := agentapi.Dial(ctx, p.paths.Socket())
	if err != nil {
		return memory.Memory{}, err
	}
	defer func() { _ = client.Close() }()
	var m memory.Memory
	return m, client.Call(ctx, agentapi.MethodKept, e, &m)
}

// mostRead bounds what is read of standard input: anything longer is refused.
const mostRead = 1 << 20

// textOf is what the arguments say, or standard input for a dash.
func (p *program) textOf(c *cli.Context) (string, error) {
	if c.Args().Len() != 1 || c.Args().First() != "-" {
		return strings.Join(c.Args().Slice(), " "), nil
	}
	data, err := io.ReadAll(io.LimitReader(p.in, mostRead))
	if err != nil {
		return "", fmt.Errorf("read the text from standard input: %w", err)
	}
	return string(data), nil
}

// cleaned is a text as it may be kept, and how much of it was left out.
func cleaned(text, what string) (string, int, error) {
	if strings.TrimSpace(text) == "" {
		return "", 0, usageError{errors.New(what + " is empty: say what is to be kept")}
	}
	if len(text) > memory.MaxContent {
		return "", 0, usagef("%s has %d bytes, the most is %d: shorten it, or keep it in parts", what, len(text), memory.MaxContent)
	}
	clean, report := redact.Text(withoutControls(text))
	clean = strings.TrimSpace(redact.EscapeTag(clean))
	if report.Empty || memory.Normalise(clean) == "" {
		return "", 0, usagef("nothing is left of %s: all of it is private, a secret, or something that was recalled", what)
	}
	redacted := 0
	for _, found := range report.Found {
		redacted += found.Count
	}
	return clean, redacted, nil
}

// withoutControls leaves lines and tabs, and nothing else that steers a terminal.
func withoutControls(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && defuse.Steers(r) {
			return ' '
		}
		return r
	}, text)
}

func cleanedTags(tags []string) ([]string, error) {
	if len(tags) > maxTags {
		return nil, usagef("%d tags, the most is %d", len(tags), maxTags)
	}
	var all []string
	for _, tag := range tags {
		clean, _ := redact.Text(withoutControls(tag))
		clean = strings.ToLower(memory.OneLine(redact.EscapeTag(clean)))
		if clean == "" || len(clean) > maxTag {
			return nil, usagef("tag %q: a tag has 1 to %d bytes", memory.Cut(tag, maxTag), maxTag)
		}
		all = append(all, clean)
	}
	return all, nil
}
