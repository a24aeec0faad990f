package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// Problem is a value that is not used, with the reason and the remedy.
type Problem struct {
	Key     string
	Origin  string // the environment variable or the file
	Message string
}

func (p Problem) String() string {
	return fmt.Sprintf("%s (from %s): %s", p.Key, p.Origin, p.Message)
}

// Load reads the settings. A missing file is not a problem. Each problem leaves the default of its setting in
// force.
func Load(file string, getenv func(string) string) (Config, []Problem) {
	l := load(file, getenv)
	return l.cfg, l.problems
}

// loader applies given values over the defaults.
type loader struct {
	cfg      Config
	getenv   func(string) string
	origins  map[string]string // environment variable or file of each used value, by key
	problems []Problem
}

func load(file string, getenv func(string) string) loader {
	l := loader{cfg: Default(), getenv: getenv, origins: map[string]string{}}
	l.readFile(file)
	for s := range register {
		if value := getenv(s.env); value != "" {
			l.use(s, s.env, value)
		}
	}
	if !l.cfg.Maintenance.Enabled {
		for job := range l.cfg.Maintenance.Crons {
			l.cfg.Maintenance.Crons[job] = ""
		}
	}
	return l
}

func (l *loader) problem(key, origin, message string) {
	l.problems = append(l.problems, Problem{key, origin, message})
}

func (l *loader) use(s setting, origin, value string) {
	value = s.trimmed(value)
	err := s.set(&l.cfg, value)
	if s.key == Disabled {
		l.cfg.Unread = ""
	}
	if err != nil {
		l.problem(s.key, origin, err.Error())
		if s.key == Disabled {
			l.cfg.Unread = l.problems[len(l.problems)-1].String()
		}
		return
	}
	if _, isPath := s.field.(interface{ isPath() }); isPath && strings.ContainsAny(value, `/\~$%`) {
		resolved := paths.Resolve(l.getenv, value)
		if err = s.set(&l.cfg, resolved); err != nil || resolved == "" {
			l.problem(s.key, origin, fmt.Sprintf("%q needs a home directory, and HOME is not set", value))
			return
		}
	}
	l.cfg.Distill.Decided = l.cfg.Distill.Decided || s.key == DistillEnabled
	l.origins[s.key] = origin
}

func (l *loader) readFile(file string) {
	data, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		l.unreadable(file, "cannot be read: "+err.Error())
		return
	}
	tree, err := hookio.ParseWhole(data)
	if err != nil {
		l.unreadable(file, "is not a JSON object: "+where(data, err))
		return
	}
	values := map[string]string{}
	flatten("", tree, values)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		s, known := find(key)
		if !known {
			l.unknown(key, file)
			continue
		}
		l.use(s, file, values[key])
	}
}

// unreadable sets every guard to its safe value: the unreadable file may have switched the memory off.
func (l *loader) unreadable(file, message string) {
	l.problem(WholeFile, file, message)
	for s := range register {
		if g, isGuard := s.field.(guard); isGuard {
			g.close(&l.cfg)
		}
	}
	l.cfg.Unread = l.problems[len(l.problems)-1].String()
}

// unknown reports an unknown key. If it differs from a guard's key only in case, it closes the guard.
func (l *loader) unknown(key, file string) {
	s, isKnown := find(strings.ToLower(strings.TrimSpace(key)))
	if !isKnown {
		l.problem(key, file, "there is no such setting; docs/configuration.md lists them all")
		return
	}
	l.problem(key, file, "there is no such setting; its key is "+s.key)
	if g, isGuard := s.field.(guard); isGuard {
		g.close(&l.cfg)
		if s.key == Disabled {
			l.cfg.Unread = l.problems[len(l.problems)-1].String()
		}
	}
}

// readFile reads the settings file without a byte order mark, which some editors write. A dangling link is an
// error, not a missing file.
func readFile(file string) ([]byte, error) {
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, syscall.ENOTDIR): // the home is not a folder
		return nil, fs.ErrNotExist
	case errors.Is(err, fs.ErrNotExist):
		if _, linkErr := os.Lstat(file); linkErr == nil {
			return nil, fmt.Errorf("%s is a symbolic link to a missing file", file)
		}
	}
	return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), err
}

// WholeFile is the key of a problem with the whole file.
const WholeFile = "config"

// where describes an error in a JSON text with its line and column, from 1.
func where(text []byte, err error) string {
	var wrong *hookio.DecodeError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	what := "it ends too early"
	if wrong.Cause != nil {
		what = wrong.Cause.Error()
	}
	before := string(text[:min(int(wrong.Offset), len(text))])
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:]) + 1
	return fmt.Sprintf("line %d, column %d: %s", line, column, what)
}

// flatten adds the values of nested objects to into, by dotted keys. A dotted key in the file means the same as the
// nesting.
func flatten(prefix string, tree hookio.Value, into map[string]string) {
	for _, member := range tree.Fields {
		key := member.Name
		if prefix != "" {
			key = prefix + "." + key
		}
		switch v := member.Value; v.Kind {
		case hookio.Object:
			if _, isKey := find(key); isKey {
				into[key] = "{...}" // no setting is an object
				continue
			}
			flatten(key, v, into)
		case hookio.Bool:
			into[key] = strconv.FormatBool(v.True)
		case hookio.String, hookio.Number:
			into[key] = v.Text
		case hookio.Array:
			into[key] = "[...]" // no setting is a list
		case hookio.Null, hookio.Missing: // ignored
		}
	}
}
