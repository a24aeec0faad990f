package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

// keepTime limits the wait until the memory is searchable. The memory is already safe in the spool.
const keepTime = 5 * time.Second

func rememberCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "remember", Usage: "store a memory", ArgsUsage: "TEXT | -",
		Description: described("With - as the text, it reads standard input. Secrets, and text between <private> and </private>, are removed.",
			"memory remember the staging port is 6543",
			`memory remember --kind todo --tag release "rotate the staging token"`,
			"git log -1 --format=%B | memory remember --kind decision -"),
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name:  "kind",
				Usage: "`KIND` of the memory: " + joined(memory.StatementKinds(), ", "), Value: string(memory.KindNote),
			},
			&cli.StringSliceFlag{Name: "tag", Usage: "a `WORD` to find it by; may be given again"},
			&cli.BoolFlag{Name: "everywhere", Usage: "for all your projects"},
			&cli.StringSliceFlag{Name: "file", Usage: "a `PATH` it is about, relative to the project; may be given again"},
		},
		Action: inProject(e, rememberText),
	}
}

type rememberReport struct {
	ID         string      `json:"id,omitempty"`
	Kind       memory.Kind `json:"kind"`
	Project    string      `json:"project"`
	Searchable bool        `json:"searchable"`
	Redacted   int         `json:"redacted"` // number of removed secrets and private parts
}

// rememberText writes the memory to the spool like every capture, so it works without a daemon or a store.
func rememberText(c *cli.Context, e *environment, where project.Project) error {
	kind, everywhere := memory.Kind(c.String("kind")), c.Bool("everywhere")
	if everywhere && e.InModelsShell() {
		return usagef("only a person may store what holds in every project: leave out --everywhere, and ask the user to run the command with it")
	}
	text, err := rememberedText(e, c)
	if err != nil {
		return err
	}
	text, redacted, err := redact.Memory("the text", text)
	if err != nil {
		return err
	}
	if !kind.IsUserAuthored() {
		return usagef("there is no kind %q to store; the kinds are %s", kind, joined(memory.StatementKinds(), ", "))
	}
	tags, err := redact.Tags(c.StringSlice("tag"))
	if err != nil {
		return err
	}
	e.Daemon.sendProject(c.Context) // if the daemon knows that memory is off (or on) in this folder's project, it writes the folder's marker file
	if why := where.WhyOffInTime(e.Paths.OffMarker(where.Key)); why != "" {
		return errors.New(why)
	}
	now := e.Now()
	session := cmp.Or(e.Getenv("CLAUDE_CODE_SESSION_ID"), e.Getenv("MEMORY_SESSION_ID"))
	if session == "" {
		session = shellSession + now.UTC().Format(time.DateOnly) + "-" + memory.NewID(memory.ScopeProject, where.Key, "")[:8] // one session per project and day
	}
	event := memory.Event{
		ID: memory.NewEventID(now), At: now.UTC(), Kind: memory.EventRemembered, Session: session,
		Project: memory.Project{Key: where.Key, Name: where.Name, Root: where.Root}, Dir: where.Dir,
		RememberedKind: kind, ByUser: !e.InModelsShell(), Text: text, Tags: tags, Everywhere: everywhere,
	}
	event.Files = memory.Each(c.StringSlice("file"), where.Named)
	list, err := purged.Load(e.Paths.Purged())
	if err != nil {
		return err
	}
	if purged.HasPlaceholder(memory.CleanedTexts(event, list.Clean)) {
		return purged.ErrWords
	}
	putErr := spool.New(e.Paths.Spool()).Put(event)
	answer := rememberReport{Kind: kind, Project: where.Name, Redacted: redacted}
	if everywhere {
		answer.Project = "every project"
	}
	var kept daemonapi.RememberResult
	err = e.Daemon.AskWithin(c.Context, keepTime, daemonapi.MethodRemember.Call(event, &kept)) // without starting a daemon
	switch {
	case err == nil: // even if Put failed because this shell must not write to the home: the daemon has stored the event
		answer.ID, answer.Searchable = memory.ShortID(kept.Memory.ID), true
	case errors.Is(err, memory.ErrInvalid): // the daemon got the event and refuses it
		return err
	case putErr != nil:
		return putErr
	}
	return e.Print(answer, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "remembered as %s of %s", kind, terminal.Printable(answer.Project))
		if answer.Searchable {
			_, _ = fmt.Fprintf(w, ": %s\n", answer.ID)
		} else {
			_, _ = fmt.Fprintln(w, "; it waits in a file until the daemon runs")
		}
		if redacted > 0 {
			_, _ = fmt.Fprintf(w, "%s left out\n", map[bool]string{
				true:  "1 secret or <private> text was",
				false: fmt.Sprintf("%d secrets or <private> texts were", redacted),
			}[redacted == 1])
		}
	})
}

// maxRemembered is the maximum number of bytes read from standard input. It exceeds what redact.Memory accepts.
const maxRemembered = 1 << 20

// rememberedText returns the text in the arguments, or in standard input if the only argument is a dash.
func rememberedText(e *environment, c *cli.Context) (string, error) {
	if c.Args().Len() != 1 || c.Args().First() != "-" {
		return strings.Join(c.Args().Slice(), " "), nil
	}
	data, err := io.ReadAll(io.LimitReader(e, maxRemembered))
	if err != nil {
		return "", fmt.Errorf("read the text from standard input: %w", err)
	}
	text, err := importer.Text(data)
	if err != nil {
		return "", fmt.Errorf("read the text from standard input: %w", err)
	}
	return text, nil
}
