package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

// Limits of one memory.
const (
	maxFiles = 20
	maxPath  = 500 // bytes
	maxQuote = 500 // bytes
)

type storeInput struct {
	Content    string   `json:"content" jsonschema:"One sentence that is understandable on its own, with the reason; at most 4000 bytes."`
	Kind       string   `json:"kind,omitempty" jsonschema:"Default note."`
	Title      string   `json:"title,omitempty" jsonschema:"The content in at most 8 words: sessions start with all titles."`
	Area       string   `json:"area,omitempty" jsonschema:"One or two words for the part of the work."`
	Cues       []string `json:"cues,omitempty" jsonschema:"Tasks, questions, files or commands that need it, in the user's words."`
	Importance int      `json:"importance,omitempty" jsonschema:"3: work goes wrong without it; 2: default; 1: good to have."`
	Everywhere bool     `json:"everywhere,omitempty" jsonschema:"Nearly every session needs it."`
	Replaces   string   `json:"replaces,omitempty" jsonschema:"Id of the memory that this makes false."`
	Quote      string   `json:"quote,omitempty" jsonschema:"A whole sentence that the user typed in this session; needed to replace a memory of the user."`
	Tags       []string `json:"tags,omitempty" jsonschema:"Words to find it by."`
	Files      []string `json:"files,omitempty" jsonschema:"Paths it is about: it is injected when they are read."`
}

type storeOutput struct {
	ID         string `json:"id,omitempty" jsonschema:"id for the other tools; missing until it is searchable"`
	Kind       string `json:"kind"`
	Project    string `json:"project"`
	Title      string `json:"title,omitempty" jsonschema:"name under which later sessions list it"`
	Stored     bool   `json:"stored" jsonschema:"whether it is safe on disk"`
	Searchable bool   `json:"searchable" jsonschema:"whether it can be found already"`
	Redacted   int    `json:"redacted" jsonschema:"number of secrets and <private> texts that were left out"`
	Replaced   string `json:"replaced,omitempty" jsonschema:"id of the fact that it replaced"`
	Stands     string `json:"stands,omitempty" jsonschema:"reason why replaces had no effect"`
	Nearest    string `json:"nearest,omitempty" jsonschema:"most similar active memory: if the new one makes it false, store the new one again with replaces"`
}

func (t *tools) addStoring(server *mcp.Server) {
	addTool(t, server, always(adds("store_memory", "Store a memory",
		"Keep a decision, convention, preference, open todo or hard-won fact for later sessions. Leave out what code or git show. When the user repeats one, store it again with quote: it comes first.")),
		limits{
			"kind": oneOf(memory.StatementKinds()...), "tags": each(nil, redact.MaxTags), "files": each(nil, maxFiles),
			"cues": each(nil, memory.MaxCues), "importance": between(1, 3),
		}, t.store)
}

// store writes a memory to the spool like every other event, so that nothing is lost while the daemon or the store is
// down, and then waits until it is searchable.
func (t *tools) store(ctx context.Context, in storeInput) (out storeOutput, err error) {
	if off := t.off(); off != "" {
		return out, errors.New("nothing was stored: " + off)
	}
	event, redacted, err := t.remembered(in)
	if err != nil {
		return out, err
	}
	if err := t.spool(event); err != nil {
		return out, fmt.Errorf("nothing was stored: %w", err)
	}
	out = storeOutput{Kind: string(event.RememberedKind), Project: t.Project.Name, Stored: true, Redacted: redacted}
	var kept daemonapi.RememberResult
	switch err := t.callWithin(ctx, storeTime, daemonapi.MethodRemember.Call(event, &kept)); {
	case unreachable(err):
		return out, nil // the memory will be searchable when the database is back
	case errors.Is(err, memory.ErrInvalid):
		return out, fmt.Errorf("nothing was kept: %w", explain(err))
	case err != nil:
		return out, fmt.Errorf("stored, but it cannot be made searchable: %w", explain(err))
	}
	out.ID, out.Title, out.Searchable = memory.ShortID(kept.Memory.ID), quotedLine(kept.Memory.Title), true
	out.Replaced, out.Stands = memory.ShortID(kept.Replaced), harmless(kept.Stands)
	if m := kept.Nearest; m.ID != "" {
		out.Nearest = fmt.Sprintf("Similar: %[1]s %s. If the new one holds instead, pass replaces: %[1]s", memory.ShortID(m.ID), defuse.Quote(memory.CutWords(harmless(cmp.Or(m.Title, m.Content)), maxTitle)))
	}
	return out, nil
}

// remembered returns the event of a request, and the number of secrets and private parts that were removed.
func (t *tools) remembered(in storeInput) (e memory.Event, redacted int, err error) {
	text, redacted, err := redact.Memory("content", in.Content)
	if err != nil {
		return e, 0, err
	}
	tags, err := redact.Tags(in.Tags)
	if err != nil {
		return e, 0, err
	}
	now := t.Daemon.Now()
	e = memory.Event{
		ID: memory.NewEventID(now), At: now.UTC(), Kind: memory.EventRemembered, Session: t.Session,
		Project: memory.Project{Key: t.Project.Key, Name: t.Project.Name, Root: t.Project.Root}, Dir: t.Project.Dir,
		RememberedKind: memory.Kind(cmp.Or(in.Kind, string(memory.KindNote))), Text: text, Tags: tags,
		Everywhere: in.Everywhere, Weight: in.Importance, Replaces: memory.IDAsShown(in.Replaces),
	}
	if e.Replaces != "" && !memory.IsIDPrefix(e.Replaces) {
		return e, 0, fmt.Errorf("replaces is %q, which is not an id: an id has 4 to 32 digits, as the session's start and search_memories show it", harmless(memory.Cut(e.Replaces, maxTitle)))
	}
	e.Title, e.Area = cleanedLine(in.Title, &redacted), cleanedLine(in.Area, &redacted)
	for _, file := range in.Files {
		clean := t.fileOf(file)
		if clean == "" || len(clean) > maxPath {
			return e, 0, fmt.Errorf("file %q: a path has 1 to %d bytes", memory.Cut(file, maxTitle), maxPath)
		}
		e.Files = append(e.Files, clean)
	}
	if len(in.Quote) > maxQuote {
		return e, 0, fmt.Errorf("quote has %d bytes, at most %d are allowed: quote only the sentence that matters", len(in.Quote), maxQuote)
	}
	quote, report := redact.Text(in.Quote)
	e.Quote, redacted = memory.OneLine(quote), redacted+report.Count()
	for _, cue := range in.Cues {
		if cue = cleanedLine(cue, &redacted); cue != "" {
			e.Cues = append(e.Cues, cue)
		}
	}
	return e, redacted, nil
}

// cleanedLine returns a text on one line without private parts and secrets, and adds their number to redacted.
func cleanedLine(text string, redacted *int) string {
	clean, report := redact.Text(text)
	*redacted += report.Count()
	if report.Empty {
		return ""
	}
	return harmless(clean)
}

// spool puts an event into the first spool that takes it.
func (t *tools) spool(e memory.Event) error {
	var failed error
	for _, dir := range t.Daemon.Paths.Spools() {
		err := spool.New(dir).Put(e)
		if err == nil {
			return nil
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// fileOf returns a file's name as memories have it, or "" for none. A relative name starts at the root, as in memories.
func (t *tools) fileOf(file string) string {
	fromRoot := t.Project
	fromRoot.Dir = fromRoot.Root
	if file = harmless(file); file == "" {
		return ""
	}
	return harmless(fromRoot.Named(file))
}
