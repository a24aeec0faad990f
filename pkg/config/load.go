package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// Problem is a setting that was not used, with its remedy.
type Problem struct {
	Key     string
	Origin  string // the environment variable or the file
	Message string
}

func (p Problem) String() string {
	return fmt.Sprintf("%s (from %s): %s", p.Key, p.Origin, p.Message)
}

// Load reads the settings. A missing file is no problem; every problem leaves
// the default of its setting in force.
func Load(file string, getenv func(string) string) (Config, []Problem) {
	cfg := Default()
	problems := applyFile(&cfg, file)
	for s := range register {
		value := getenv(s.env)
		if old := former[s.key].env; value == "" && old != "" {
			if value = getenv(old); value != "" {
				problems = append(problems, Problem{s.key, old, renamed + s.env})
			}
		}
		if value == "" {
			continue
		}
		if err := s.apply(&cfg, value); err != nil {
			problems = append(problems, Problem{s.key, s.env, err.Error()})
		}
	}
	return cfg, problems
}

func applyFile(cfg *Config, file string) []Problem {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return []Problem{{WholeFile, file, "cannot be read: " + err.Error()}}
	}
	tree, err := hookio.ParseObject(data)
	if err != nil {
		return []Problem{{WholeFile, file, "is not a JSON object: " + where(data, err)}}
	}
	values := map[string]string{}
	flatten("", tree, values)
	problems := rename(values, file)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		s, known := find(key)
		if !known {
			problems = append(problems, Problem{key, file, "there is no such setting; docs/configuration.md lists them all"})
			continue
		}
		if err := s.apply(cfg, values[key]); err != nil {
			problems = append(problems, Problem{key, file, err.Error()})
		}
	}
	return problems
}

// renamed is the note on a setting that is given by its former name.
const renamed = "is read; its name is now "

// rename gives settings of a file that have another name now that name, with a note each.
func rename(values map[string]string, file string) []Problem {
	var notes []Problem
	for key, old := range former {
		value, given := values[old.key]
		if !given {
			continue
		}
		delete(values, old.key)
		if _, both := values[key]; !both {
			values[key] = value
		}
		notes = append(notes, Problem{old.key, file, renamed + key})
	}
	return notes
}

// WholeFile is the key of a problem with the file and not with one setting.
const WholeFile = "config"

// where describes a defect of a JSON text and its place, lines and columns counted from
// 1.
func where(text []byte, err error) string {
	var wrong *hookio.DecodeError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	what := wrong.Detail
	if what == "" {
		what = "it ends too early"
	}
	before := string(text[:min(int(wrong.Offset), len(text))])
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:]) + 1
	return fmt.Sprintf("line %d, column %d: %s", line, column, what)
}

// flatten turns nested objects into dotted keys; a dotted key in the file means
// the same as the nesting.
func flatten(prefix string, tree hookio.Value, into map[string]string) {
	for _, member := range tree.Fields {
		key := member.Name
		if prefix != "" {
			key = prefix + "." + key
		}
		switch v := member.Value; v.Kind {
		case hookio.Object:
			flatten(key, v, into)
		case hookio.Bool:
			into[key] = strconv.FormatBool(v.True)
		case hookio.String, hookio.Number:
			into[key] = v.Text
		case hookio.Array:
			into[key] = "[...]" // no setting is a list
		case hookio.Null, hookio.Missing: // as if it were not there
		}
	}
}
