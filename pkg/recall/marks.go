package recall

import (
	"path"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/worktype"
)

// maxDetailBytes is the part of a memory's detail that is searched.
const maxDetailBytes = 1000

// Marks are terms that are matched as a whole and only by a file, command or signature.
// They begin with one of these; no text contains a NUL byte as part of a word.
const (
	pathPrefix      = "\x00path:"
	namePrefix      = "\x00name:"
	dirPrefix       = "\x00dir:"
	extPrefix       = "\x00ext:"
	commandPrefix   = "\x00command:"
	programPrefix   = "\x00program:"
	signaturePrefix = "\x00signature:"
	labelPrefix     = "\x00label:"
	workPrefix      = "\x00work:"
)

// ofMark is the weight of a mark by its kind, and whether it is sufficient for an answer
// alone.
func (w *Weights) ofMark(mark string) (weight float64, suffices bool) {
	kind, _, _ := strings.Cut(mark, ":")
	switch kind + ":" {
	case pathPrefix:
		return w.Path, true
	case namePrefix:
		return w.Name, true
	case dirPrefix:
		return w.Dir, false
	case extPrefix:
		return w.Ext, false
	case commandPrefix:
		return w.Command, true
	case programPrefix:
		return w.Program, false
	default:
		return w.Signature, true
	}
}

// cleanPath is a path as marks have it.
func cleanPath(file string) string {
	return path.Clean(strings.ToLower(strings.ReplaceAll(file, `\`, "/")))
}

func fileMarks(file string) []string {
	if file == "" {
		return nil
	}
	file = cleanPath(file)
	name := path.Base(file)
	marks := []string{pathPrefix + file, namePrefix + name}
	if dir := path.Dir(file); dir != "." && dir != "/" {
		marks = append(marks, dirPrefix+dir)
	}
	if ext := path.Ext(name); ext != "" {
		marks = append(marks, extPrefix+ext)
	}
	return marks
}

// folderMarks are the folder of a file, and it and its named parent folders as paths.
func folderMarks(file string) []string {
	folder := path.Dir(cleanPath(file))
	if folder == "." || folder == "/" {
		return nil
	}
	marks := []string{dirPrefix + folder}
	for ; folder != "." && folder != "/"; folder = path.Dir(folder) {
		marks = append(marks, pathPrefix+folder)
	}
	return marks
}

func commandMarks(command string) []string {
	fields := strings.Fields(command)
	if len(fields) == 0 {
		return nil
	}
	program := strings.Join(fields[:min(2, len(fields))], " ")
	return []string{commandPrefix + strings.Join(fields, " "), programPrefix + program}
}

func signatureMarks(signature string) []string {
	if signature = memory.OneLine(signature); signature == "" {
		return nil
	}
	return []string{signaturePrefix + signature}
}

// workMarks are the marks of the types of work that a memory is a rule for; none for
// memories that are no rule of the user.
func workMarks(m memory.Memory) []string {
	if !isRule(m) {
		return nil
	}
	var marks []string
	for _, p := range worktype.Named(memory.Cut(m.Content+"\n"+m.Detail, maxDetailBytes)) {
		marks = append(marks, workPrefix+string(p))
	}
	return marks
}

// isRule says whether a memory is a statement of the user that may hold again.
func isRule(m memory.Memory) bool {
	switch m.Kind {
	case memory.KindConvention, memory.KindCorrection, memory.KindPreference, memory.KindDecision, memory.KindNote:
		return m.Source == memory.SourceUser && !m.IsHearsay() && !m.IsModelWritten()
	}
	return false
}
