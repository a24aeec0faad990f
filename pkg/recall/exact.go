package recall

import (
	"path"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/worktype"
)

// daySpan is a time span in seconds of Unix time, to not included.
type daySpan struct{ from, to int64 }

// maxDetailBytes is the part of a memory's detail that is searched.
const maxDetailBytes = 1000

// Prefixes of terms that are matched as a whole and only by a file, command or
// signature; no text contains a NUL byte as part of a word.
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

// exactTerm is a term matched as a whole, with its weight.
type exactTerm struct {
	term   string
	weight func(Weights) float64
	strong bool // sufficient for an answer alone
}

func fileTerms(file string) []exactTerm {
	if file == "" {
		return nil
	}
	file = path.Clean(strings.ToLower(strings.ReplaceAll(file, `\`, "/")))
	name := path.Base(file)
	terms := []exactTerm{
		{pathPrefix + file, func(w Weights) float64 { return w.Path }, true},
		{namePrefix + name, func(w Weights) float64 { return w.Name }, true},
	}
	if dir := path.Dir(file); dir != "." && dir != "/" {
		terms = append(terms, exactTerm{dirPrefix + dir, func(w Weights) float64 { return w.Dir }, false})
	}
	if ext := path.Ext(name); ext != "" {
		terms = append(terms, exactTerm{extPrefix + ext, func(w Weights) float64 { return w.Ext }, false})
	}
	return terms
}

// folderTerms are the folder of a file and its named parent folders. Each is sufficient
// for an answer alone.
func folderTerms(file string) []exactTerm {
	folder := path.Dir(path.Clean(strings.ToLower(strings.ReplaceAll(file, `\`, "/"))))
	if folder == "." || folder == "/" {
		return nil
	}
	terms := []exactTerm{{dirPrefix + folder, func(w Weights) float64 { return w.Dir }, true}}
	for ; folder != "." && folder != "/"; folder = path.Dir(folder) {
		terms = append(terms, exactTerm{pathPrefix + folder, func(w Weights) float64 { return w.Path }, true})
	}
	return terms
}

func commandTerms(command string) []exactTerm {
	fields := strings.Fields(command)
	if len(fields) == 0 {
		return nil
	}
	program := strings.Join(fields[:min(2, len(fields))], " ")
	return []exactTerm{
		{commandPrefix + strings.Join(fields, " "), func(w Weights) float64 { return w.Command }, true},
		{programPrefix + program, func(w Weights) float64 { return w.Program }, false},
	}
}

func signatureTerms(signature string) []exactTerm {
	if signature = memory.OneLine(signature); signature == "" {
		return nil
	}
	return []exactTerm{{signaturePrefix + signature, func(w Weights) float64 { return w.Signature }, true}}
}

// workTerms are the terms of the types of work that a memory is a rule for; none for
// memories that are no rule of the user.
func workTerms(m memory.Memory) []exactTerm {
	if !isRule(m) {
		return nil
	}
	var terms []exactTerm
	for _, p := range worktype.Named(memory.Cut(m.Content+"\n"+m.Detail, maxDetailBytes)) {
		terms = append(terms, exactTerm{term: workPrefix + string(p)})
	}
	return terms
}

// isRule says whether a memory is a statement of the user that may hold again.
func isRule(m memory.Memory) bool {
	switch m.Kind {
	case memory.KindConvention, memory.KindCorrection, memory.KindPreference, memory.KindDecision, memory.KindNote:
		return m.Source == memory.SourceUser && !m.IsHearsay() && !m.IsModelWritten()
	}
	return false
}
