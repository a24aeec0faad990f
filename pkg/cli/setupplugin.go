package cli

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/doctor"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// pluginID is the plugin's name in Claude Code's commands.
const pluginID = "surrealdb-memory@surrealdb-memory"

// clientProgram returns the path of Claude Code, or "".
func clientProgram(e *environment) string {
	for _, dir := range filepath.SplitList(e.Getenv("PATH")) {
		if program, err := exec.LookPath(filepath.Join(dir, "claude")); err == nil && filepath.IsAbs(program) {
			return program
		}
	}
	return ""
}

// installPlugin installs the plugin into Claude Code, if the user agrees; without it nothing is captured or recalled.
// It returns a line about the outcome, and whether Claude Code uses the plugin now.
func installPlugin(ctx context.Context, e *environment, agrees func(question string) bool) (outcome string, isUsed bool, err error) {
	where, err := e.Project()
	if err != nil {
		return "", false, err
	}
	name, _, on, err := doctor.Enabled(e.ClientDir(), where.Root)
	marketplace := doctor.Marketplace(paths.InstalledRoot(e.Executable))
	byHand := "claude plugin marketplace add " + shell.Word(paths.Tilde(marketplace, e.Getenv("HOME"))) +
		" && claude plugin install " + pluginID
	switch {
	case err != nil:
		return "", false, fmt.Errorf("look for the plugin in Claude Code: %w; correct the file, and run memory setup again", err)
	case on:
		return "Claude Code uses the plugin.", true, nil
	case e.Client() == "Claude":
		return fmt.Sprintf("This session of Claude Code uses the plugin; in others it does after %s.", byHand), true, nil
	case name != "":
		return fmt.Sprintf("The plugin is switched off in Claude Code; claude plugin enable %s switches it on.",
			terminal.Printable(name)), false, nil
	}
	client := clientProgram(e)
	if client == "" {
		return fmt.Sprintf("Claude Code is not on the PATH, so the plugin is not installed into it: %s does that.", byHand), false, nil
	}
	if !agrees("   Claude Code does not have the plugin yet, which captures and recalls. Install it?") {
		return fmt.Sprintf("Claude Code does not have the plugin: %s installs it.", byHand), false, nil
	}
	for _, args := range [][]string{{"plugin", "marketplace", "add", marketplace}, {"plugin", "install", pluginID}} {
		if output, err := exec.CommandContext(ctx, client, args...).CombinedOutput(); err != nil {
			return "", false, fmt.Errorf("install the plugin: claude %s %s: %w: %s; solve this and run memory setup again, or skip this step with --plugin no",
				args[0], args[1], err, terminal.Printable(string(bytes.TrimSpace(output))))
		}
	}
	return "Claude Code uses the plugin, from the next session on.", true, nil
}
