package memory

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Holds is the class of a text field. The struct tag named holds gives it, or else the field's type and name.
type Holds string

// What a field holds. A purge by words looks at texts and labels only.
const (
	HoldsText  Holds = ""      // what a person, a model or a tool wrote: a field without a tag
	HoldsLabel Holds = "label" // a tag or an area: words of a person or a model, or a name that this program sets
	HoldsTool  Holds = "tool"  // the name of a tool: a text if it is a tool of an MCP server, which a person has named
	HoldsWord  Holds = "word"  // a word of a fixed list of ours or the client's: each field of a type of its own, such as Kind
	HoldsID    Holds = "id"    // an id, a hash or a project's key: each field that is named id, or has the id of a row
	HoldsPlace Holds = "place" // the name or folder of a project, by which it is found again
)

// holdsOf returns what a field holds.
func holdsOf(field reflect.StructField) Holds {
	of := field.Type
	if of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	_, option, _ := strings.Cut(field.Tag.Get("column"), ",")
	switch {
	case of.Kind() == reflect.String && of != reflect.TypeFor[string]():
		return HoldsWord
	case name == "id" || strings.HasPrefix(option, "of "):
		return HoldsID
	}
	return Holds(field.Tag.Get("holds"))
}

// Cleaner returns a function that cleans what others than our programs wrote in a field of the class, or nil if only our programs write such fields.
func (h Holds) Cleaner(clean func(string) string) func(string) string {
	switch h {
	case HoldsText:
		return func(text string) string { return cleanedText(text, clean) }
	case HoldsLabel:
		return func(label string) string {
			if isOwnLabel(label) {
				return label
			}
			return clean(label)
		}
	case HoldsTool:
		return func(name string) string {
			if !strings.HasPrefix(name, "mcp__") {
				return name
			}
			return clean(name)
		}
	default:
		return nil
	}
}

// cleanedText cleans a text, except for what this program wrote: the JSON keys of a DistilledText, and why a memory was archived.
func cleanedText(text string, clean func(string) string) string {
	if d, err := DistilledOf(text); strings.HasPrefix(text, `{"part":`) && err == nil {
		if cleaned := CleanedTexts(d, clean); !reflect.DeepEqual(d, cleaned) {
			whole, _ := json.Marshal(cleaned) // cannot fail: the texts have no type that JSON lacks
			return string(whole)
		}
		return text
	}
	n := ownBeginning(text)
	return text[:n] + clean(text[n:])
}

// ownBeginning returns the length of the words of ours with which the detail of an archived memory begins.
func ownBeginning(text string) int {
	line, _, _ := strings.Cut(text, "\n")
	rest, isArchived := strings.CutPrefix(line, archivedPrefix)
	day, reason, _ := strings.Cut(rest, ": ")
	if _, err := time.Parse(time.DateOnly, day); err != nil || !isArchived {
		return 0
	}
	by, isReplaced := strings.CutPrefix(reason, replacedBy)
	by, said, _ := strings.Cut(by, ": ")
	switch {
	case slices.Contains(ownReasons, reason):
		return len(line)
	case isReplaced && IsIDPrefix(by):
		return len(line) - len(said)
	default:
		return len(line) - len(reason)
	}
}

// ownLabels are the tags and areas that programs give: ours, and the types in the client's auto-memory.
var ownLabels = []string{
	TagModel, TagUsersWords, TagWithdrawn, TagRepeated, TagAutoMemory, TagClaudeMD, TagDebugging, "user", "feedback", "project", "reference",
}

func isOwnLabel(label string) bool {
	return slices.Contains(ownLabels, label) || strings.HasPrefix(label, saidIn) || Kind(label).known()
}

// IsMadeID reports whether a program made the id of a session: it has hexadecimal digits and dashes only, after a prefix of
// ours if it has one.
func IsMadeID(id string) bool {
	for _, own := range []string{"cli-", "mcp-", importPrefix} {
		id = strings.TrimPrefix(id, own)
	}
	return strings.Trim(id, "0123456789abcdef-") == ""
}

// Text is a column with texts. A column that holds an object has Members, which are Texts themselves.
type Text struct {
	Holds   Holds
	Members map[string]Text // members with texts, if the column is an object
}

// TextsIn returns the columns of a table that have texts, by name.
func TextsIn(table string) map[string]Text {
	if table == "maintenance_action" { // the actions of a Run
		return textsOf(reflect.TypeFor[Action]())
	}
	if of, isKnown := RowTypeIn(table); isKnown {
		return textsOf(of.of)
	}
	return nil
}

func textsOf(t reflect.Type) map[string]Text {
	all := map[string]Text{}
	for _, column := range ColumnsOf(t) {
		field := t.FieldByIndex(column.Field)
		of := field.Type
		if of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		switch of.Kind() {
		case reflect.String:
			all[column.Name] = Text{Holds: holdsOf(field)}
		case reflect.Struct:
			if members := textsOf(of); len(members) > 0 {
				all[column.Name] = Text{Holds: HoldsID, Members: members}
			}
		default: // has no text
		}
	}
	return all
}

// Cleaned returns a copy of a value in which every text, at any depth, is cleaned.
func Cleaned[T any](value T, clean func(string) string) T {
	cleanIn(reflect.ValueOf(&value).Elem(), func(Holds) func(string) string { return clean }, clean)
	return value
}

// CleanedTexts cleans like Cleaned, but only the texts that a person, a model or a tool wrote.
func CleanedTexts[T any](value T, clean func(string) string) T {
	cleanIn(reflect.ValueOf(&value).Elem(), func(h Holds) func(string) string { return h.Cleaner(clean) }, nil)
	return value
}

// cleanIn cleans the texts of a value. It copies parts that are shared with other values first. clean cleans the value's own
// text; if it is nil, the text stays. cleanerOf returns the function that cleans the fields of a class.
func cleanIn(v reflect.Value, cleanerOf func(Holds) func(string) string, clean func(string) string) {
	switch v.Kind() {
	case reflect.String:
		if text := v.String(); text != "" && clean != nil {
			v.SetString(clean(text))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			own := reflect.New(v.Type().Elem())
			own.Elem().Set(v.Elem())
			cleanIn(own.Elem(), cleanerOf, clean)
			v.Set(own)
		}
	case reflect.Interface: // a field of a row
		if !v.IsNil() {
			own := reflect.New(v.Elem().Type()).Elem()
			own.Set(v.Elem())
			cleanIn(own, cleanerOf, clean)
			v.Set(own)
		}
	case reflect.Slice:
		if v.Len() > 0 {
			own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(own, v)
			for i := range own.Len() {
				cleanIn(own.Index(i), cleanerOf, clean)
			}
			v.Set(own)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Field(i); field.CanSet() && v.Type() != reflect.TypeFor[time.Time]() {
				cleanIn(field, cleanerOf, cleanerOf(holdsOf(v.Type().Field(i))))
			}
		}
	default: // has no text
	}
}
