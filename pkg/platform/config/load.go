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

// Load reads the settings. A missing file is not a problem. A setting with a problem has its default, except that an
// invalid address is kept and a guard has its closed value.
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
		if s, known := find(key); known {
			l.use(s, file, values[key])
		} else {
			l.problem(key, file, ErrNoSetting.Error())
		}
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

// readFile reads the settings file without a byte order mark, which some editors write. A dangling link is an error, not a missing file.
func readFile(file string) ([]byte, error) {
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, syscall.ENOTDIR): // the home is not a folder
		return nil, fs.ErrNotExist
	case errors.Is(err, fs.ErrNotExist):
		if _, linkErr := os.Lstat(file); linkErr == nil {
			return nil, errors.New("it is a symbolic link to a missing file")
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
	syntax, isSyntax := errors.AsType[*json.SyntaxError](err)
	switch wrong, is := errors.AsType[*json.UnmarshalTypeError](err); {
	case isSyntax:
		err = fmt.Errorf("line %d: %w", 1+bytes.Count(data[:syntax.Offset], []byte("\n")), err)
	case is:
		err = errors.New("it is of the type " + wrong.Value)
	case len(bytes.TrimSpace(data)) == 0:
		err = errors.New("it is empty")
	}
	if !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("is not a JSON object: %w", err)
	}
	if tree == nil { // the file contains null
		tree = map[string]any{}
	}
	return tree, nil
}

var ErrNoSetting = errors.New("there is no such setting; memory config list shows all settings")

// WholeFile is the key of a problem with the whole file.
const WholeFile = "config"

// flatten adds the values of nested objects to into, by dotted keys. A dotted key in the file means the same as the
// nesting. The case of keys is ignored.
func flatten(prefix string, tree map[string]any, into map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		key, value := plain(name), tree[name]
		if prefix != "" {
			key = prefix + "." + key
		}
		inner, isObject := value.(map[string]any)
		if _, isKey := find(key); isObject && !isKey {
			flatten(key, inner, into)
		} else if value != nil {
			if into[key] = fmt.Sprint(value); into[key] != value {
				data, _ := json.Marshal(value) // no setting accepts a list or an object; the error shows it as JSON
				into[key] = string(data)
			}
		}
	}
}

// plain returns a key of the file as the register writes it.
func plain(key string) string { return strings.ToLower(strings.TrimSpace(key)) }
