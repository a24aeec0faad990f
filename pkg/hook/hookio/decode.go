package hookio

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxInput is the maximum number of bytes that are read of one hook input. The client sends a file's content after the tool's and
// the file's name, and only 32 KiB of a long string are kept anyway.
const maxInput = 4 << 20

// Decode reads one hook input from r, at most 4 MiB. A longer document is cut there, in the middle of a string if need be.
//
// It stops at the end of the document and leaves the rest of r unread. It accepts leading byte order marks, UTF-16,
// unknown fields, fields of an unexpected type (ignored), invalid UTF-8 and lone surrogates (read as U+FFFD), raw
// control characters and backslashes in strings, and duplicate names (the last one wins).
//
// For damaged input it returns an error with ErrEmpty, ErrTruncated or ErrSyntax, and all values that were complete
// before the damage, so a half-read session id is never used. It never panics.
func Decode(r io.Reader) (Input, error) { return decode(r, inputLimits) }

func decode(r io.Reader, within limits) (Input, error) {
	source := &io.LimitedReader{R: r, N: maxInput}
	d := newDecoder(source, UTF8(source), within)
	var in Input
	err := d.document(&in)
	if source.N <= 0 && errors.Is(err, ErrTruncated) {
		err = nil
	}
	return in, err
}

// ParseObject returns the JSON object at the beginning of a text, without values nested deeper than 10,000 levels. It
// ignores the rest of the text and tolerates the same input as Decode, except byte order marks and UTF-16. If the text
// is cut off or does not begin with an object, it fails like Decode.
func ParseObject(text []byte) (Value, error) {
	source := &io.LimitedReader{R: bytes.NewReader(text), N: math.MaxInt64}
	d := newDecoder(source, bufio.NewReader(source), textLimits)
	v, err := d.value(1)
	if err == nil && v.Kind != Object {
		err = errNoObject
	}
	if err != nil {
		return Value{}, d.fault(err)
	}
	return v, nil
}

var errNoObject = errors.New("expected an object")

// decoder reads one document and enforces the limits.
type decoder struct {
	json   *json.Decoder
	limits limits
	nodes  int // number of values kept
}

func newDecoder(source *io.LimitedReader, r *bufio.Reader, within limits) *decoder {
	d := &decoder{json: json.NewDecoder(&stringMender{source: source, r: r}), limits: within}
	d.json.UseNumber()
	return d
}

func (d *decoder) document(in *Input) error {
	token, err := d.json.Token()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("hookio: decode: %w at byte %d", ErrEmpty, d.json.InputOffset())
	}
	if err == nil && token != json.Delim('{') {
		err = errNoObject
	}
	if err == nil {
		fields := in.fields()
		err = d.members(func(name string) error { return d.topLevel(in, fields[name], name) })
	}
	if err != nil {
		return d.fault(err)
	}
	return nil
}

// fault returns an error of the document or its reader with its place: the bytes, as UTF-8, before the faulty value.
func (d *decoder) fault(err error) error {
	kind, at := ErrTruncated, d.json.InputOffset()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("hookio: decode: %w at byte %d", kind, at)
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || errors.Is(err, errNoObject) {
		kind = ErrSyntax
	}
	return fmt.Errorf("hookio: decode: %w at byte %d: %w", kind, at, err)
}

// topLevel reads a member of the document into the field, or skips it if field is nil.
func (d *decoder) topLevel(in *Input, field any, name string) error {
	if field == nil || slices.Contains(d.limits.skip, name) {
		return d.skip()
	}
	skip := d.limits.skip
	if name == "tool_input" { // each tool chooses the names of its fields
		d.limits.skip = nil
	}
	v, err := d.value(1)
	d.limits.skip = skip
	in.set(field, name, v)
	return err
}

// members reads the rest of an object after its opening brace. It calls value after each name; value must read the member's value.
func (d *decoder) members(value func(name string) error) error {
	for {
		token, err := d.json.Token()
		if err != nil || token == json.Delim('}') {
			return err
		}
		if err := value(token.(string)); err != nil { // json.Decoder has only strings as names
			return err
		}
	}
}

func (d *decoder) skip() error {
	token, err := d.json.Token()
	if err != nil {
		return err
	}
	return d.skipRest(token)
}

// skipRest reads the rest of a value after its first token. It counts brackets, so nesting takes no memory.
func (d *decoder) skipRest(token json.Token) error {
	for open := 0; ; {
		switch token {
		case json.Delim('{'), json.Delim('['):
			open++
		case json.Delim('}'), json.Delim(']'):
			open--
		}
		if open == 0 {
			return nil
		}
		var err error
		if token, err = d.json.Token(); err != nil {
			return err
		}
	}
}

// value reads one value inside depth containers. For a value beyond a limit it returns a Missing value. With an
// error it also returns the members and elements that were complete.
func (d *decoder) value(depth int) (Value, error) {
	token, err := d.json.Token()
	if err != nil {
		return Value{}, err
	}
	bracket, isContainer := token.(json.Delim)
	// Top-level fields are few and known, so a flood of nodes in one field does not cost the other fields.
	if depth > 1 && d.nodes >= d.limits.nodes || isContainer && depth >= d.limits.depth {
		return Value{}, d.skipRest(token)
	}
	d.nodes++
	switch token := token.(type) {
	case bool:
		return Value{Kind: Bool, True: token}, nil
	case json.Number:
		return Value{Kind: Number, Text: token.String()}, nil
	case string:
		return d.text(token), nil
	}
	switch bracket {
	case '{':
		return d.object(depth + 1)
	case '[':
		return d.array(depth + 1)
	}
	return Value{Kind: Null}, nil
}

func (d *decoder) text(text string) Value {
	v := Value{Kind: String, Text: text}
	if len(text) > d.limits.text {
		v.Text, v.Cut = cutMiddle(text, d.limits.text), true
	}
	return v
}

func (d *decoder) object(depth int) (Value, error) {
	v := Value{Kind: Object}
	places := map[string]int{}
	err := d.members(func(name string) error {
		if slices.Contains(d.limits.skip, name) {
			return d.skip()
		}
		member, err := d.value(depth)
		if member.Kind == Missing {
			v.Cut = true
			return err
		}
		at, found := places[name]
		if !found {
			at = len(v.Fields)
			places[name] = at
			v.Fields = append(v.Fields, Field{Name: name})
		}
		v.Fields[at].Value = member
		return err
	})
	return v, err
}

func (d *decoder) array(depth int) (Value, error) {
	v := Value{Kind: Array}
	for d.json.More() {
		item, err := d.value(depth)
		if item.Kind == Missing {
			v.Cut = true
		} else {
			v.Items = append(v.Items, item)
		}
		if err != nil {
			return v, err
		}
	}
	_, err := d.json.Token() // the closing bracket
	return v, err
}

// limits bounds what is kept of a document. The rest is read and discarded.
type limits struct {
	// text is the maximum number of bytes of one string. A longer string keeps its head and tail around "…[N bytes cut]…".
	text int
	// depth is the deepest nesting of objects and arrays; the document itself is level 1. Deeper values are dropped.
	depth int
	// nodes is the maximum number of values. Top-level fields beyond it are kept.
	nodes int
	// skip lists the object members that are dropped with their values, except inside tool_input, where tools choose the names.
	skip []string
}

// inputLimits also drops members that repeat what is kept, or are too large to keep: a file's content before an edit
// (originalFile), the edit as a patch (structuredPatch), a transcript, and the data of images (base64).
var inputLimits = limits{text: 32 << 10, depth: 64, nodes: 10_000, skip: []string{"originalFile", "structuredPatch", "transcript", "base64"}}

// textLimits only bounds what would take more memory than the text itself.
var textLimits = limits{text: math.MaxInt, depth: 10_000, nodes: math.MaxInt}

// The causes of an error of [Decode], for errors.Is.
var (
	ErrEmpty     = errors.New("no input")
	ErrTruncated = errors.New("input ends too early")
	ErrSyntax    = errors.New("input is not the JSON of a hook")
)

const (
	// leastText is the minimum number of bytes that a string is cut to: the marker and some text around it.
	leastText = 192
	// markerRoom is the maximum number of bytes that a marker has: "…[" + 19 digits + " bytes cut]…".
	markerRoom = 3 + 1 + 19 + 11 + 3
)

// hidden are the elements that package redact removes with their content.
var hidden = [...]string{"private", "system-reminder", "surrealdb-memory"}

// cutMiddle shortens a text to at most limit bytes by replacing its middle with a marker, or returns "" if limit is
// less than leastText. Two thirds of the room are for the head, where commands and errors begin, one third for the
// tail, where results end. If the removed middle opens a hidden element without closing it, the tag is put behind the
// marker, so that the element's content in the tail stays hidden.
func cutMiddle(text string, limit int) string {
	if limit < leastText {
		return ""
	}
	room := limit - markerRoom
	head, tail := strings.ToValidUTF8(text[:room-room/3], ""), strings.ToValidUTF8(text[len(text)-room/3:], "") // without half a character
	cut, tags := len(text)-len(head)-len(tail), ""
	for _, name := range hidden {
		from := len(head) // a tag may begin in the head and end in the tail
		if at := strings.LastIndexByte(head, '<'); at >= max(0, from-len(name)) {
			from = at
		}
		if opens(name, text[from:], len(head)+cut-from) {
			tags += "<" + name + ">"
		}
	}
	if tags != "" {
		tail = tags + strings.ToValidUTF8(tail[min(len(tail), len(tags)):], "") // keeps the result within limit
	}
	return head + "…[" + strconv.Itoa(cut) + " bytes cut]…" + tail
}

// opens reports whether, of the tags of an element that begin before a position, more open than close.
func opens(name, text string, before int) bool {
	open := 0
	for i := 0; ; i++ {
		next := strings.IndexByte(text[i:before], '<')
		if next < 0 {
			return open > 0
		}
		i += next
		switch {
		case hasFoldPrefix(text[i+1:], "/"+name):
			open = max(0, open-1)
		case hasFoldPrefix(text[i+1:], name):
			open++
		}
	}
}

func hasFoldPrefix(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}
