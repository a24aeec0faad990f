package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

func sessionsCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "sessions", Usage: "list sessions, show some of them, or find sessions by words or by a file that they changed", ArgsUsage: "[SESSION... | WORDS]",
		Description: described("With SESSION, an id or the beginning of one, it shows how the session stands and how to resume it and, once it is summarised, the request, what was investigated, learned and completed, the next steps, and the files that were read and modified. With WORDS it lists the sessions whose prompts or answers have them, the best match first, each with the command that resumes it. With --file it lists the sessions that changed the file, the newest first, with the outcome of each.", "memory sessions --limit 5", "memory sessions --all", "memory sessions 3f9a1c20", "memory sessions retry of the webhook", "memory sessions --file pkg/export.go"),
		Flags: []cli.Flag{
			limitFlag(), &cli.BoolFlag{Name: "all", Usage: "sessions of all projects"},
			&cli.StringFlag{Name: "file", Usage: "only sessions that changed the file `PATH` of the project"},
		},
		Action: with(e, listSessions),
	}
}

func listSessions(c *cli.Context, e *environment) error {
	ctx, all, file := c.Context, c.Bool("all"), c.String("file")
	if file != "" && (all || c.Args().Present()) {
		return usagef("--file names a file of one project: give no session, no words and no --all with it")
	}
	limit, err := limitOf(c)
	if err != nil {
		return err
	}
	key, err := e.Key(all)
	if err != nil {
		return err
	}
	params := daemonapi.SessionsParams{Project: key, Limit: limit}
	switch {
	case file != "":
		return sessionsOfFile(ctx, e, params, file)
	case c.Args().Present():
		return showSessions(c, e, params)
	}
	params.Limit++
	found, err := daemonapi.MethodSessions.Ask(ctx, e.Daemon.Call, params)
	if err != nil {
		return err
	}
	found, isCut := cut(found, limit)
	return e.Print(found, func(w io.Writer) {
		if len(found) == 0 {
			_, _ = fmt.Fprintln(w, "no session has been seen here yet")
			return
		}
		_, _ = io.WriteString(w, "SESSION\tSEEN\tSTATE\tPROMPTS\tSUMMARY\n")
		for _, s := range found {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\n", shortSession(s.ID),
				e.Ago(s.LastEventAt), terminal.Printable(string(s.State)),
				s.PromptCount, sessionSummary(s, 200))
		}
		moreLine(w, isCut)
	})
}

// showSessions shows the sessions whose ids begin as given. If an argument is not the beginning of an id, it searches
// all arguments as words (findSessions).
func showSessions(c *cli.Context, e *environment, params daemonapi.SessionsParams) error {
	var found []memory.Session
	for _, id := range c.Args().Slice() {
		params.ID = undecorated(id)
		some, err := daemonapi.MethodSessions.Ask(c.Context, e.Daemon.Call, params)
		if err != nil {
			return err
		}
		if len(some) == 0 {
			return findSessions(c, e, params)
		}
		found = append(found, some...)
	}
	return e.Print(found, func(w io.Writer) {
		for i, s := range found {
			if i > 0 {
				_, _ = fmt.Fprintln(w)
			}
			sessionPage(e, w, s)
		}
	})
}

func findSessions(c *cli.Context, e *environment, params daemonapi.SessionsParams) error {
	if c.Bool("all") {
		return usagef("words are searched for in one project: leave --all out, or name the project by --project DIR")
	}
	params.ID, params.Words = "", strings.Join(c.Args().Slice(), " ")
	return printFound(c.Context, e, params, fmt.Errorf("no session of this project is named %s or has these words: %w; memory sessions lists its sessions, with --all those of all projects",
		terminal.Printable(memory.CutWords(params.Words, 60)), memory.ErrNotFound))
}

func sessionsOfFile(ctx context.Context, e *environment, params daemonapi.SessionsParams, file string) error {
	where, err := e.Project()
	if err != nil {
		return err
	}
	params.File = where.Named(file)
	return printFound(ctx, e, params, fmt.Errorf("no session of this project changed %s: %w; give its path in the project, or the end of the path; memory sessions lists the sessions",
		terminal.Printable(params.File), memory.ErrNotFound))
}

// printFound prints the sessions that the daemon finds, each with the command that resumes it and with what was learned. If
// there are no sessions, it returns the error none.
func printFound(ctx context.Context, e *environment, params daemonapi.SessionsParams, none error) error {
	found, err := daemonapi.MethodSessions.Ask(ctx, e.Daemon.Call, params)
	if err == nil && len(found) == 0 {
		err = none
	}
	if err != nil {
		return err
	}
	return e.Print(found, func(w io.Writer) {
		_, _ = io.WriteString(w, "SEEN\tRESUME WITH\tSUMMARY\tLEARNED\n")
		for _, s := range found {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", e.Ago(s.LastEventAt), terminal.Printable(resumeCommand(s)),
				sessionSummary(s, 80), terminal.Printable(memory.CutWords(memory.OneLine(s.Summary.Digest.Learned), 200)))
		}
	})
}

// resumeCommand returns the command that resumes a session, or "" for a session of this program or of the MCP server,
// which no client has.
func resumeCommand(s memory.Session) string {
	if strings.HasPrefix(s.ID, shellSession) || strings.HasPrefix(s.ID, "mcp-") {
		return ""
	}
	return client.ResumeCommand(s.Client, s.ID)
}

func sessionPage(e *environment, w io.Writer, s memory.Session) {
	properties := slices.Concat([][2]string{
		{"session", terminal.Printable(s.ID)},
		{"client", client.DisplayName(s.Client)},
		{"state", string(s.State)},
		{"seen", e.When(s.StartedAt) + " to " + e.When(s.LastEventAt)},
		{"resume with", resumeCommand(s)},
	}, s.Summary.Digest.Fields(), [][2]string{{"shown as", s.Summary.Text}})
	for i := range properties[1:] {
		properties[i+1][1] = terminal.Printable(properties[i+1][1])
	}
	propertyTable(w, properties)
}

// sessionSummary returns what a session was about, without the time, in at most the given number of bytes.
func sessionSummary(s memory.Session, most int) string {
	return terminal.Title(memory.CutWords(memory.OneLine(cmp.Or(s.Summary.Words(), s.First)), most))
}
