package share

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Team makes memory team.
func Team(e *command.Env) *cli.Command {
	list := command.Action(e, teamOptionsOf("", 0), team)
	project, asJSON := command.ProjectFlag(), command.JSONFlag()
	one := func(do memory.TeamAction, words int, name, arguments, usage, text string, examples []string, flags ...cli.Flag) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, ArgsUsage: arguments, Description: command.Described(text, examples...),
			Flags: append(flags, asJSON), Action: command.Action(e, teamOptionsOf(do, words), team),
		}
	}
	return &cli.Command{
		Name: "team", Usage: "who may what in a store that several people share",
		Description: command.Described("For a SurrealDB server that several use, each as a person of it (SURREAL_ACCESS=person). Without a server, facts are shared through git: memory share.",
			"memory team", "memory team add anna", "memory team role bob member", "memory team share"),
		Flags: []cli.Flag{asJSON}, Action: list,
		Subcommands: []*cli.Command{
			{Name: "list", Usage: "list people and the shared projects that you read", Description: command.Described("", "memory team list"), Flags: []cli.Flag{asJSON}, Action: list},
			one(memory.TeamAdd, 1, "add", "NAME", "add a person to the store, and print the password",
				"Only who has the store's own credentials does that. The password is told once.", []string{"memory team add anna"}),
			one(memory.TeamRemove, 1, "remove", "NAME", "remove a person from a project, or with --store from the store",
				"Who was removed reads no more at once. What was shared stays.", []string{"memory team remove bob", "memory team remove bob --store"},
				&cli.BoolFlag{Name: "store", Usage: "from the store, with all rights; needs its own credentials"}, project),
			one(memory.TeamLet, 2, "role", "NAME reader|member|admin", "let a person into a shared project, or change what the person may there",
				"A reader reads, a member writes too once he or she shares it as well, an admin says who else does.", []string{"memory team role bob member"}, project),
			one(memory.TeamShare, 0, "share", "", "have your memories of a project shared with its members from now on",
				"Who shares a project first becomes its admin. Your prompts, and what is yours in every project, stay yours alone.", []string{"memory team share", "memory team share --past"},
				&cli.BoolFlag{Name: "past", Usage: "share also what you know of it already"}, project),
			one(memory.TeamUnshare, 0, "unshare", "", "withdraw your memories of a shared project: they are yours alone again", "", []string{"memory team unshare"}, project),
		},
	}
}

// teamOptions are the change to be made; none lists.
type teamOptions struct {
	command.Shared
	change memory.TeamChange
}

func teamOptionsOf(do memory.TeamAction, words int) func(*cli.Context) (teamOptions, error) {
	return func(c *cli.Context) (teamOptions, error) {
		o := teamOptions{command.SharedOf(c), memory.TeamChange{Do: do, Person: c.Args().First(), Role: memory.Role(c.Args().Get(1)), Past: c.Bool("past")}}
		if c.Args().Len() != words {
			return o, command.Usagef("memory team %s takes %s: see memory team --help", c.Command.Name, terminal.Counted(words, "argument"))
		}
		if do == memory.TeamLet && !slices.Contains([]memory.Role{memory.RoleReader, memory.RoleMember, memory.RoleAdmin}, o.change.Role) {
			return o, command.Usagef("there is no role %s; there are reader, member and admin", memory.Cut(terminal.Printable(string(o.change.Role)), 40))
		}
		if do == memory.TeamRemove && !c.Bool("store") {
			o.change.Do = memory.TeamExpel
		}
		return o, nil
	}
}

func team(ctx context.Context, e *command.Env, o teamOptions) error {
	change := o.change
	switch change.Do {
	case memory.TeamAdd:
		change.Pass = rand.Text()
	case memory.TeamLet, memory.TeamExpel, memory.TeamShare, memory.TeamUnshare:
		where, err := e.Project(o.Dir)
		if err != nil {
			return err
		}
		if where.Origin == "" {
			return fmt.Errorf("%s has no origin, by which others would know it: git remote add origin URL: %w", terminal.Printable(where.Root), memory.ErrInvalid)
		}
		change.Project = where.Key
	}
	var now memory.Team
	if err := e.Agent.Call(ctx, agentapi.MethodTeam.Call(change, &now)); err != nil {
		return err
	}
	report := struct {
		memory.Team
		Password string `json:"password,omitempty"`
	}{now, change.Pass}
	return e.Print(ctx, o.JSON, report, func(w io.Writer) {
		if change.Pass != "" {
			_, _ = fmt.Fprintf(w, "%s is in the store. Settings of that home: SURREAL_URL, SURREAL_NS and SURREAL_DB as yours,\nSURREAL_ACCESS=person SURREAL_USER=%s SURREAL_PASS=%s\n", change.Person, change.Person, change.Pass)
			return
		}
		printTeam(w, now)
	})
}

func printTeam(w io.Writer, t memory.Team) {
	if t.You.Name == "" {
		_, _ = fmt.Fprintln(w, "You use this store by its own credentials: all rows are yours to read.")
	} else {
		_, _ = fmt.Fprintf(w, "You are %s.\n", terminal.Printable(t.You.Name))
	}
	for _, p := range t.People {
		if !p.Active {
			_, _ = fmt.Fprintf(w, "%s was removed\n", terminal.Printable(p.Name))
		} else if p.Name != t.You.Name {
			_, _ = fmt.Fprintf(w, "%s\n", terminal.Printable(p.Name))
		}
	}
	for _, m := range t.Members {
		shares := ""
		if !m.Sharing && m.Role != memory.RoleReader {
			shares = ", does not share there yet (memory team share)"
		}
		_, _ = fmt.Fprintf(w, "%s: %s is %s%s\n", terminal.Printable(m.Project), terminal.Printable(m.Person), m.Role, shares)
	}
	if len(t.Members) == 0 {
		_, _ = fmt.Fprintln(w, "No project is shared with you.")
	}
}
