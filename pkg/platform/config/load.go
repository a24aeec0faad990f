package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// Problem is a value that is not used, with the reason and the remedy.
type Problem struct {
	Key     string
	Origin  string // the environment variable or the file
	Message string
}

func (p Problem) String() string {
	if p.Key == WholeFile {
		return fmt.Sprintf("the settings' file %s %s", p.Origin, p.Message)
	}
	return fmt.Sprintf("setting %s (from %s): %s", p.Key, p.Origin, p.Message)
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
	for _, s := range register {
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
	if w, isWord := s.field.(word); isWord && w.isPath && strings.ContainsAny(value, `/\~$%`) {
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
	tree, err := readTree(file)
	if err != nil {
		l.unreadable(file, err.Error())
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
	for _, s := range register {
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
		l.problem(key, file, ErrNoSetting.Error())
		return
	}
	l.problem(key, file, NoSetting+"; its key is "+s.key)
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

// readTree reads the settings file. A missing file is empty. Its errors continue a sentence that begins with the file.
func readTree(file string) (map[string]any, error) {
	data, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]any{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var tree map[string]any
	if err = decoder.Decode(&tree); err == nil {
		if _, err = decoder.Token(); err == nil {
			err = errors.New("delete the text after the object")
		}
	}
	if !errors.Is(err, io.EOF) || len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("is not a JSON object: %s", where(data, err))
	}
	if tree == nil { // the file contains null
		tree = map[string]any{}
	}
	return tree, nil
}

// NoSetting begins each message about a key that is not a setting's.
const NoSetting = "there is no such setting"

// ErrNoSetting is returned for an unknown key.
var ErrNoSetting = errors.New(NoSetting + "; memory config list shows them all")

// WholeFile is the key of a problem with the whole file.
const WholeFile = "config"

// where describes an error of decoding an object, with its line and column, from 1.
func where(text []byte, err error) string {
	wrong, isSyntax := errors.AsType[*json.SyntaxError](err)
	switch _, isOther := errors.AsType[*json.UnmarshalTypeError](err); {
	case isOther:
		return "expected an object"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends too early"
	case !isSyntax:
		return err.Error()
	}
	before := string(text[:max(0, wrong.Offset-1)])
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:]) + 1
	return fmt.Sprintf("line %d, column %d: %s", line, column, err)
}

// flatten adds the values of nested objects to into, by dotted keys. A dotted key in the file means the same as the
// nesting.
func flatten(prefix string, tree map[string]any, into map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		key, value := name, tree[name]
		if prefix != "" {
			key = prefix + "." + name
		}
		inner, isObject := value.(map[string]any)
		if _, isKey := find(key); isObject && !isKey {
			flatten(key, inner, into)
		} else if value != nil {
			if into[key] = fmt.Sprint(value); into[key] != value {
				data, _ := json.Marshal(value) // a list or an object is the value of no setting, and says so
				into[key] = string(data)
			}
		}
	}
}
