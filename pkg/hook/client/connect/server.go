package connect

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
)

// launcherMark is the end of the launcher's path in every home.
const launcherMark = "/clients/run"

// server is our MCP server: a table of config.toml that is added and removed without touching another byte.
type server struct {
	table string // the table as this version writes it
}

// serverPath is the name of our table, in any version.
var serverPath = []string{"mcp_servers", client.Server}

// Add returns content with our table at its end, and without an older version of it. It fails if the name is taken.
func (s server) Add(content []byte) ([]byte, error) {
	c, err := readConfig(content)
	switch {
	case err != nil:
		return nil, err
	case c.hasOther || len(c.tables) > 0 && !c.isOurs:
		return nil, fmt.Errorf("it already has a server %s of somebody else, or its entry %s is no table: rename that server, or correct the entry", client.Server, serverPath[0])
	case len(c.tables) == 1 && string(content[c.tables[0].start:c.tables[0].end]) == s.table:
		return content, nil
	}
	if content, err = s.Remove(content); err != nil {
		return nil, err
	}
	separator := "\n"
	switch {
	case len(content) == 0:
		separator = ""
	case !bytes.HasSuffix(content, []byte("\n")):
		separator = "\n\n"
	}
	return slices.Concat(content, []byte(separator+s.table)), nil
}

// Remove returns content without our table and the tables in it, each with the empty line before it.
func (s server) Remove(content []byte) ([]byte, error) {
	c, err := readConfig(content)
	if err != nil || !c.isOurs {
		return content, err
	}
	left := slices.Clone(content)
	for _, t := range slices.Backward(c.tables) {
		if t.start > 0 && bytes.HasSuffix(content[:t.start], []byte("\n\n")) || t.start == 1 && content[0] == '\n' {
			t.start--
		}
		left = slices.Delete(left, t.start, t.end)
	}
	if _, err := readConfig(left); err != nil {
		return nil, fmt.Errorf("without our table it would be invalid: %w; remove the table %s yourself, then try again", err, strings.Join(serverPath, "."))
	}
	return left, nil
}

// Has reports whether content has our table, in any version.
func (s server) Has(content []byte) (bool, error) {
	c, err := readConfig(content)
	return c.isOurs, err
}

// config is what we read of config.toml.
type config struct {
	tables   []span // our table, and the tables in it
	isOurs   bool   // whether the command of our table is our launcher
	hasOther bool   // our table's name is taken by a value that is not a table
	hooksOff bool   // the user has switched all hooks off
}

// span is a table's part of a file, without the comments and empty lines before the next table, which belong to the next table.
type span struct{ start, end int }

// readConfig reads a config.toml in one pass: Codex has a table for each folder. It checks only the syntax of what is not ours.
func readConfig(content []byte) (c config, err error) {
	var table []string // name of the table that the parser is in
	isIn := false
	endTable := func(end int) {
		if isIn {
			c.tables[len(c.tables)-1].end = lastLine(content[:end])
		}
	}
	var p unstable.Parser
	p.Reset(content)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.KeyValue {
			var start int
			table, start = nameOf(content, e)
			endTable(start)
			if isIn = hasPrefix(table, serverPath); isIn {
				c.tables = append(c.tables, span{start: start})
			}
			continue
		}
		key, _ := nameOf(content, e)
		key = slices.Concat(table, key)
		switch value := string(e.Value().Data); {
		case isIn && len(key) == len(serverPath)+1 && key[len(key)-1] == "command":
			c.isOurs = strings.HasSuffix(value, launcherMark)
		case !isIn && (hasPrefix(key, serverPath) || hasPrefix(serverPath, key)):
			c.hasOther = true
		case slices.Equal(key, []string{"features", "hooks"}):
			c.hooksOff = value == "false"
		}
	}
	endTable(len(content))
	if err := p.Error(); err != nil {
		return config{}, fmt.Errorf("it is not valid TOML: %w", err)
	}
	return c, nil
}

// nameOf returns the name of a table or a key, and where its line begins.
func nameOf(content []byte, e *unstable.Node) (name []string, start int) {
	for key := e.Key(); key.Next(); {
		if node := key.Node(); len(name) == 0 {
			start = bytes.LastIndexByte(content[:node.Raw.Offset], '\n') + 1
		}
		name = append(name, string(key.Node().Data))
	}
	return name, start
}

// lastLine returns the end of the last line that is neither empty nor a comment.
func lastLine(content []byte) int {
	end := len(content)
	for end > 0 {
		start := bytes.LastIndexByte(content[:end-1], '\n') + 1
		if text := bytes.TrimSpace(content[start:end]); len(text) > 0 && text[0] != '#' {
			break
		}
		end = start
	}
	return end
}

func hasPrefix(name, prefix []string) bool {
	return len(name) >= len(prefix) && slices.Equal(name[:len(prefix)], prefix)
}
