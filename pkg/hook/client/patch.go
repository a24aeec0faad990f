package client

import (
	"path/filepath"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// PatchTool is Codex's tool for patches.
const PatchTool = "apply_patch"

// PatchedFile is the change of one file by a patch in Codex's format.
type PatchedFile struct {
	Path   string
	IsNew  bool
	Before string // the replaced lines with those around them; empty for a new file
	After  string
}

// maxPatched bounds the files of one patch: beyond it, it is no edit that a person would look for.
const maxPatched = 50

// PatchedFiles reads the files that a patch adds or updates, and leaves out those that it deletes.
func PatchedFiles(patch string) []PatchedFile {
	var all []PatchedFile
	var before, after strings.Builder
	open := false
	end := func() {
		if open {
			all[len(all)-1].Before, all[len(all)-1].After = before.String(), after.String()
		}
		before.Reset()
		after.Reset()
		open = false
	}
	for line := range strings.Lines(patch) {
		plain := strings.TrimRight(line, "\r\n")
		switch header, name, _ := strings.Cut(plain, ": "); {
		case header == "*** Add File" || header == "*** Update File":
			end()
			if len(all) == maxPatched {
				return all
			}
			all, open = append(all, PatchedFile{Path: name, IsNew: header == "*** Add File"}), true
		case header == "*** Move to":
			if open {
				all[len(all)-1].Path = name
			}
		case plain == "*** End of File":
		case strings.HasPrefix(plain, "*** "):
			end()
		case open && plain != "" && !strings.HasPrefix(plain, "@@"):
			patchLine(&before, &after, line)
		}
	}
	end()
	return all
}

// patchLine adds a line to the text before, after, or both.
func patchLine(before, after *strings.Builder, line string) {
	switch line[0] {
	case '-':
		before.WriteString(line[1:])
	case '+':
		after.WriteString(line[1:])
	case ' ':
		before.WriteString(line[1:])
		after.WriteString(line[1:])
	}
}

// Replaced returns the old and the new lines of a unified diff, each with the lines around.
func Replaced(diff string) (before, after string) {
	var b, a strings.Builder
	for line := range strings.Lines(diff) {
		if !strings.HasPrefix(line, "@@") {
			patchLine(&b, &a, line)
		}
	}
	return b.String(), a.String()
}

// edits is an edit or a write for each file that a patch changes; a deletion has no counterpart.
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

// object makes an object of names and values in turn.
func object(members ...any) hookio.Value {
	v := hookio.Value{Kind: hookio.Object}
	for i := 0; i+1 < len(members); i += 2 {
		v.Fields = append(v.Fields, hookio.Field{Name: members[i].(string), Value: members[i+1].(hookio.Value)})
	}
	return v
}
