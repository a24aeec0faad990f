package launcher

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
)

// ErrNoAutostart: this system has no systemd, launchd or task scheduler.
var ErrNoAutostart = errors.New("this system has no way to start a program at login that is known here")

// Service is a program that is to run whenever its user is logged in: a systemd user unit, a launchd
// agent or a Windows task.
type Service struct {
	Name        string // of letters, digits, dots and hyphens
	Description string
	Program     string            // absolute path
	Env         map[string]string // variables beyond those that the system gives it

	System string // runtime.GOOS
	Home   string // the user's home directory
	UID    int
	// Run runs a program of the system and returns its output; nil: it is really run.
	Run func(ctx context.Context, name string, args ...string) ([]byte, error)
}

// registrar is how one system does it.
type registrar struct {
	file     func(s Service) string // that describes the service; "" if none does
	describe func(s Service) string
	program  func(description string) string // that a description names
	register [][]string                      // commands that make the system start it, now and at each login
	forget   [][]string                      // commands that end it and have it started no more
	check    []string                        // fails if it is not registered, where there is no file
}

var registrars = map[string]registrar{
	"linux": {
		file: func(s Service) string {
			return filepath.Join(s.Home, ".config", "systemd", "user", s.Name+".service")
		},
		describe: unit,
		program:  programOfUnit,
		register: [][]string{{"systemctl", "--user", "daemon-reload"}, {"systemctl", "--user", "enable", "--now", "{name}.service"}},
		forget:   [][]string{{"systemctl", "--user", "disable", "--now", "{name}.service"}},
	},
	"darwin": {
		file: func(s Service) string {
			return filepath.Join(s.Home, "Library", "LaunchAgents", s.Name+".plist")
		},
		describe: plist,
		program:  programOfPlist,
		register: [][]string{{"launchctl", "bootstrap", "gui/{uid}", "{file}"}},
		forget:   [][]string{{"launchctl", "bootout", "gui/{uid}/{name}"}},
	},
	"windows": {
		register: [][]string{
			{"schtasks", "/Create", "/F", "/SC", "ONLOGON", "/TN", "{name}", "/TR", "{command}"},
			{"schtasks", "/Run", "/TN", "{name}"},
		},
		forget: [][]string{{"schtasks", "/End", "/TN", "{name}"}, {"schtasks", "/Delete", "/F", "/TN", "{name}"}},
		check:  []string{"schtasks", "/Query", "/TN", "{name}"},
	},
}

// Install registers the service and starts it; an earlier service of its name is replaced. It returns
// the file that describes it, or its name where there is none.
func (s Service) Install(ctx context.Context) (where string, err error) {
	r, ok := registrars[s.System]
	if !ok {
		return "", fmt.Errorf("%w: %s", ErrNoAutostart, s.System)
	}
	if _, err := s.Remove(ctx); err != nil {
		return "", err
	}
	where = s.Name
	if r.file != nil {
		where = r.file(s)
		err := os.MkdirAll(filepath.Dir(where), 0o700)
		if err == nil {
			err = atomicfile.Write(where, 0o600, []byte(r.describe(s)))
		}
		if err != nil {
			return "", fmt.Errorf("install the service: %w", err)
		}
	}
	if err := s.each(ctx, r.register); err != nil {
		_, removeErr := s.Remove(ctx) // nothing half registered
		return "", errors.Join(err, removeErr)
	}
	return where, nil
}

// Remove ends the service and has it started no more. It is false if there is none.
func (s Service) Remove(ctx context.Context) (bool, error) {
	r, ok := registrars[s.System]
	if !ok || !s.IsInstalled(ctx) {
		return false, nil
	}
	err := s.each(ctx, r.forget)
	if r.file == nil {
		return err == nil, err
	}
	// A system that does not know it any more, or does not run, does not start it without its file either.
	if err := os.Remove(r.file(s)); err != nil {
		return false, fmt.Errorf("remove the service: %w", err)
	}
	return true, nil
}

// IsInstalled says whether the service is registered.
func (s Service) IsInstalled(ctx context.Context) bool {
	r := registrars[s.System]
	switch {
	case r.file != nil:
		_, err := os.Lstat(r.file(s))
		return !errors.Is(err, fs.ErrNotExist)
	case r.check != nil:
		return s.each(ctx, [][]string{r.check}) == nil
	}
	return false
}

// Registered is the program that the system starts, and the file that describes it; "" if there is no service, or no file for one.
func (s Service) Registered() (program, where string, err error) {
	r := registrars[s.System]
	if r.file == nil {
		return "", "", nil
	}
	where = r.file(s)
	description, err := os.ReadFile(where)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", where, fmt.Errorf("read the service: %w", err)
	}
	return r.program(string(description)), where, nil
}

func (s Service) each(ctx context.Context, commands [][]string) error {
	run := s.Run
	if run == nil {
		run = func(ctx context.Context, name string, args ...string) ([]byte, error) {
			return exec.CommandContext(ctx, name, args...).CombinedOutput()
		}
	}
	values := []string{"{name}", s.Name, "{uid}", fmt.Sprint(s.UID), "{command}", s.taskCommand()}
	if r := registrars[s.System]; r.file != nil {
		values = append(values, "{file}", r.file(s))
	}
	var failed error
	for _, command := range commands {
		args := slices.Clone(command)
		for i := range args {
			args[i] = strings.NewReplacer(values...).Replace(args[i])
		}
		if said, err := run(ctx, args[0], args[1:]...); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(said)))
		}
	}
	return failed
}

// unit is a systemd user unit.
func unit(s Service) string {
	quoted := func(text string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$").Replace(text) + `"`
	}
	var env strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		_, _ = fmt.Fprintf(&env, "Environment=%s\n", strings.ReplaceAll(quoted(name+"="+s.Env[name]), "$$", "$"))
	}
	return fmt.Sprintf("[Unit]\nDescription=%s\n\n[Service]\nExecStart=%s\n%sRestart=on-failure\nRestartSec=10\n\n[Install]\nWantedBy=default.target\n",
		s.Description, quoted(s.Program), env.String())
}

// programOfUnit is the program of a unit that this package has written.
func programOfUnit(description string) string {
	_, rest, _ := strings.Cut(description, "\nExecStart=\"")
	quoted, _, _ := strings.Cut(rest, "\"\n")
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, "%%", "%", "$$", "$").Replace(quoted)
}

// plist is a launchd agent.
func plist(s Service) string {
	text := func(value string) string {
		var escaped strings.Builder
		_ = xml.EscapeText(&escaped, []byte(value)) // a builder takes all
		return "<string>" + escaped.String() + "</string>"
	}
	var env strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		_, _ = fmt.Fprintf(&env, "<key>%s</key>%s", name, text(s.Env[name]))
	}
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>Label</key>%s
<key>ProgramArguments</key><array>%s</array>
<key>EnvironmentVariables</key><dict>%s</dict>
<key>RunAtLoad</key><true/>
<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
</dict></plist>
`, text(s.Name), text(s.Program), env.String())
}

// programOfPlist is the program of an agent that this package has written.
func programOfPlist(description string) string {
	var list struct {
		Program string `xml:"dict>array>string"`
	}
	if xml.Unmarshal([]byte(description), &list) != nil {
		return "" // somebody else has written it
	}
	return list.Program
}

// taskCommand is the command of a Windows task: it has no environment of its own.
func (s Service) taskCommand() string {
	var sets strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		_, _ = fmt.Fprintf(&sets, `set "%s=%s"&& `, name, s.Env[name])
	}
	return fmt.Sprintf(`cmd /c %sstart "" /b "%s"`, sets.String(), s.Program)
}
