package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
)

// clientSettings is the client's settings.json, of which only the status line is changed.
type clientSettings struct {
	file    string
	program string // that draws our status line
}

func clientSettingsFile(e *command.Env) string {
	return filepath.Join(e.ClientDir(), "settings.json")
}

// lineState is whose status line the client shows.
type lineState int

const (
	noLine lineState = iota
	lineIsOurs
	lineOfAnother
)

const statusLineKey = "statusLine"

// member is a member of the settings as it is written there.
type member struct {
	key   string
	value json.RawMessage
}

// members reads the settings in their order; none if there is no file.
func (c clientSettings) members() ([]member, error) {
	data, err := os.ReadFile(c.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read Claude Code's settings: %w", err)
	}
	members, err := membersOf(data)
	if err != nil {
		return nil, fmt.Errorf("read Claude Code's settings: %s is not a JSON object: %w; mend it, or run memory setup --statusline no", c.file, err)
	}
	return members, nil
}

// membersOf takes a JSON object apart.
func membersOf(data []byte) (all []member, err error) {
	if !json.Valid(data) {
		return nil, errors.New("it is not valid")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("it begins otherwise")
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		one := member{key: key.(string)} // valid JSON has only texts there
		if err := d.Decode(&one.value); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// state says whose status line is set.
func (c clientSettings) state() (lineState, error) {
	members, err := c.members()
	if err != nil {
		return noLine, err
	}
	for _, one := range members {
		if one.key != statusLineKey {
			continue
		}
		var line struct{ Command string }
		if json.Unmarshal(one.value, &line) == nil && strings.Contains(filepath.Base(line.Command), filepath.Base(c.program)) {
			return lineIsOurs, nil
		}
		return lineOfAnother, nil
	}
	return noLine, nil
}

// add sets our status line behind one that is set already.
func (c clientSettings) add() error {
	members, err := c.members()
	if err != nil {
		return err
	}
	value, err := json.Marshal(lineOf(c.program).StatusLine)
	if err != nil {
		return err
	}
	return c.write(append(members, member{statusLineKey, value}))
}

// remove takes our status line out.
func (c clientSettings) remove() error {
	members, err := c.members()
	if err != nil {
		return err
	}
	var left []member
	for _, one := range members {
		if one.key != statusLineKey {
			left = append(left, one)
		}
	}
	return c.write(left)
}

// write replaces the file, and keeps its rights. A link is followed: people keep their
// settings in a repository.
func (c clientSettings) write(members []member) error {
	file, mode := c.file, fs.FileMode(0o600)
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	var object bytes.Buffer
	object.WriteByte('{')
	for i, one := range members {
		if i > 0 {
			object.WriteByte(',')
		}
		key, err := json.Marshal(one.key)
		if err != nil {
			return err
		}
		object.Write(append(append(key, ':'), one.value...))
	}
	object.WriteByte('}')
	var text bytes.Buffer
	err := json.Indent(&text, object.Bytes(), "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o700)
	}
	if err == nil {
		text.WriteByte('\n')
		err = atomicfile.Write(file, mode, text.Bytes())
	}
	if err != nil {
		return fmt.Errorf("write Claude Code's settings: %w", err)
	}
	return nil
}
