package schema

import (
	"fmt"
	"io/fs"
	"regexp"
)

// Definition is one definition of the schema.
type Definition struct {
	Kind  string // TABLE, FIELD or INDEX
	Name  string
	Table string // of a field or an index
	SQL   string // the statement that defines it
}

func (d Definition) String() string {
	if d.Table == "" {
		return d.Kind + " " + d.Name
	}
	return d.Kind + " " + d.Name + " ON " + d.Table
}

// definition matches a definition in the files: it begins at the start of a line, and its semicolon ends a line.
var definition = regexp.MustCompile(`(?ms)^DEFINE (TABLE|FIELD|INDEX) (?:IF NOT EXISTS )?(\w+)(?: ON (\w+))?.*?;$`)

// Definitions returns all definitions of all files.
func Definitions() ([]Definition, error) {
	files, err := fs.Glob(FS, "*.surql")
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	var all []Definition
	for _, file := range files {
		text, err := fs.ReadFile(FS, file)
		if err != nil {
			return nil, fmt.Errorf("read the schema: %w", err)
		}
		for _, found := range definition.FindAllStringSubmatch(string(text), -1) {
			all = append(all, Definition{Kind: found[1], Name: found[2], Table: found[3], SQL: found[0]})
		}
	}
	return all, nil
}
