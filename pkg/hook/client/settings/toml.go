package settings

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Table is a table that is added to a TOML file or removed from it without touching another byte.
type Table struct {
	Path   []string                  // name of the table, such as mcp_servers.surrealdb-memory
	Body   string                    // key-value lines, each with its newline
	IsOurs func(command string) bool // recognises our table in any version
}

// Add returns content with the table at its end. It leaves an equal table alone and replaces an older version. It fails
// if a table of the same name is not ours.
func (t Table) Add(content []byte) ([]byte, error) {
	root, err := t.parse(content)
	if err != nil {
		return nil, err
	}
	if old, found := Lookup(root, t.Path...); found {
		if !t.isOurs(old) {
			return nil, fmt.Errorf("it already has a table %s that is not ours: rename it", strings.Join(t.Path, "."))
		}
		if want, err := ParseTOML([]byte(t.Body)); err == nil && reflect.DeepEqual(old, any(want)) {
			return content, nil
		}
		if content, err = t.Remove(content); err != nil {
			return nil, err
		}
	}
	separator := "\n"
	switch {
	case len(content) == 0:
		separator = ""
	case !bytes.HasSuffix(content, []byte("\n")):
		separator = "\n\n"
	}
	return t.checked(slices.Concat(content, []byte(separator+"["+strings.Join(t.Path, ".")+"]\n"+t.Body)))
}

// Remove returns content without the table, if the table is ours.
func (t Table) Remove(content []byte) ([]byte, error) {
	root, err := t.parse(content)
	if err != nil {
		return nil, err
	}
	if old, _ := Lookup(root, t.Path...); !t.isOurs(old) {
		return content, nil
	}
	left, err := WithoutTables(content, func(name []string) bool { return HasPrefix(name, t.Path) })
	if err != nil {
		return nil, err
	}
	return t.checked(left)
}

// Has reports whether content has the table, in any version of ours.
func (t Table) Has(content []byte) (bool, error) {
	root, err := t.parse(content)
	if err != nil {
		return false, err
	}
	table, _ := Lookup(root, t.Path...)
	return t.isOurs(table), nil
}

func (t Table) isOurs(value any) bool {
	table, _ := value.(map[string]any)
	command, _ := table["command"].(string)
	return t.IsOurs(command)
}

// checked returns the new content of a file. It fails if that is invalid, because the file has a form in which the table
// cannot be added or removed alone.
func (t Table) checked(content []byte) ([]byte, error) {
	if _, err := t.parse(content); err != nil {
		return nil, fmt.Errorf("the change would make it invalid: %w", err)
	}
	return content, nil
}

func (t Table) parse(content []byte) (map[string]any, error) { return ParseTOML(content, t.Path[0]) }

// ParseTOML parses the part before the first table, and the tables below the names in within. Codex has a table for
// each folder, and parsing them all takes quadratic time, so of the other tables it checks only the syntax.
func ParseTOML(content []byte, within ...string) (map[string]any, error) {
	sections, err := sectionsOf(content)
	if err != nil {
		return nil, fmt.Errorf("it is not valid TOML: %w", err)
	}
	read := content
	if len(sections) > 0 {
		read = slices.Clone(content[:sections[0].start])
	}
	for _, s := range sections {
		if slices.Contains(within, s.name[0]) {
			read = append(read, content[s.start:s.end]...)
		}
	}
	root := map[string]any{}
	if err := toml.Unmarshal(read, &root); err != nil {
		return nil, fmt.Errorf("it is not valid TOML: %w", err)
	}
	return root, nil
}

// Lookup returns the value at a path of names.
func Lookup(root map[string]any, path ...string) (any, bool) {
	var at any = root
	for _, name := range path {
		table, _ := at.(map[string]any)
		var found bool
		if at, found = table[name]; !found {
			return nil, false
		}
	}
	return at, true
}

// HasPrefix reports whether name is prefix or a table inside it.
func HasPrefix(name, prefix []string) bool {
	return len(name) >= len(prefix) && slices.Equal(name[:len(prefix)], prefix)
}

// section is a table's range of a file, from its header to the next header.
type section struct {
	name       []string
	start, end int
}

// WithoutTables returns content without the sections that are unwanted, each with the empty line before it. Comments
// and empty lines before the next header stay, because they belong to that header.
func WithoutTables(content []byte, unwanted func(name []string) bool) ([]byte, error) {
	sections, err := sectionsOf(content)
	if err != nil {
		return nil, err
	}
	left := slices.Clone(content)
	for _, s := range slices.Backward(sections) {
		if !unwanted(s.name) {
			continue
		}
		end := s.end
		if end < len(content) {
			for end > s.start {
				line := bytes.LastIndexByte(content[:end-1], '\n') + 1
				if text := bytes.TrimSpace(content[line:end]); len(text) > 0 && text[0] != '#' {
					break
				}
				end = line
			}
		}
		start := s.start
		if start > 0 && bytes.HasSuffix(content[:start], []byte("\n\n")) || start == 1 && content[0] == '\n' {
			start--
		}
		left = slices.Delete(left, start, end)
	}
	return left, nil
}

func sectionsOf(content []byte) ([]section, error) {
	var all []section
	var p unstable.Parser
	p.Reset(content)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable {
			continue
		}
		one := section{start: -1, end: len(content)}
		for key := e.Key(); key.Next(); {
			node := key.Node()
			one.name = append(one.name, string(node.Data))
			if one.start < 0 {
				one.start = bytes.LastIndexByte(content[:node.Raw.Offset], '\n') + 1
			}
		}
		if n := len(all); n > 0 {
			all[n-1].end = one.start
		}
		all = append(all, one)
	}
	return all, p.Error()
}
