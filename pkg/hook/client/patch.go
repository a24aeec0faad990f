package client

import (
	"path/filepath"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// PatchTool is the name of Codex's tool that applies a patch.
const PatchTool = "apply_patch"

// PatchedFile is the change of one file in a patch of Codex's format.
type PatchedFile struct {
	Path   string
	IsNew  bool
	Before string // removed lines and context; empty for a new file
	After  string
}

// maxPatched is the maximum number of files of one patch: nobody looks for a single edit in a larger patch.
const maxPatched = 50

// PatchedFiles returns the first maxPatched files that a patch adds or updates, without deleted files.
func PatchedFiles(patch string) []PatchedFile {
	var all []PatchedFile
	from, at := -1, 0 // offset of the current file's lines (-1: none yet), and of the current line
	end := func() {
		if from >= 0 {
			all[len(all)-1].Before, all[len(all)-1].After = Replaced(patch[from:at])
		}
		from = -1
	}
	for line := range strings.Lines(patch) {
		switch header, name, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ": "); {
		case header == "*** Add File" || header == "*** Update File":
			end()
			if len(all) == maxPatched {
				return all
			}
			all, from = append(all, PatchedFile{Path: name, IsNew: header == "*** Add File"}), at+len(line)
		case header == "*** Move to":
			if from >= 0 {
				all[len(all)-1].Path = name
			}
		case strings.HasPrefix(header, "*** ") && header != "*** End of File":
			end()
		}
		at += len(line)
	}
	end()
	return all
}

// Replaced returns the old and the new lines of a unified diff, both with the context lines.
func Replaced(diff string) (before, after string) {
	var b, a strings.Builder
	for line := range strings.Lines(diff) {
		if line[0] == '-' || line[0] == ' ' {
			b.WriteString(line[1:])
		}
		if line[0] == '+' || line[0] == ' ' {
			a.WriteString(line[1:])
		}
	}
	return b.String(), a.String()
}

// edits returns an Edit or Write input for each file that a patch adds or updates.
func edits(in hookio.Input, patch hookio.Value) []hookio.Input {
	var all []hookio.Input
	for _, f := range PatchedFiles(patch.Text) {
		one := in
		path := f.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(in.CWD, path)
		}
		name, after := text(path, false), text(f.After, patch.Cut)
		if f.IsNew {
			one.ToolName, one.ToolInput = writeTool, object("file_path", name, "content", after)
		} else {
			one.ToolName = editTool
			one.ToolInput = object("file_path", name, "old_string", text(f.Before, patch.Cut), "new_string", after)
		}
		all = append(all, one)
	}
	return all
}

func text(s string, cut bool) hookio.Value {
	return hookio.Value{Kind: hookio.String, Text: s, Cut: cut}
}

// object returns an object from alternating names and values.
func object(members ...any) hookio.Value {
	v := hookio.Value{Kind: hookio.Object}
	for i := 0; i+1 < len(members); i += 2 {
		v.Fields = append(v.Fields, hookio.Field{Name: members[i].(string), Value: members[i+1].(hookio.Value)})
	}
	return v
}
