package hookio

import (
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// manyFields is from how many members on an object looks names up in a map.
const manyFields = 32

// document reads the top-level object into in. It returns a plain error so that
// no typed nil escapes.
func (d *decoder) document(in *Input) error {
	c, err := d.begin()
	if err != nil {
		if errors.Is(err.Err, ErrTruncated) && err.Cause == nil {
			err.Err = ErrEmpty
		}
		return err
	}
	if c != '{' {
		d.unread()
		return d.fail(ErrSyntax, "expected an object")
	}
	if err := d.members(func(key string) *DecodeError { return d.topLevel(in, key) }); err != nil {
		return err
	}
	return nil
}

// begin consumes white space, byte order marks and one byte. A document in UTF-16, as some
// shells write to a program, is read as UTF-8 from there on.
func (d *decoder) begin() (byte, *DecodeError) {
	c, err := d.token()
	isWide := err == nil && (c == 0xFF || c == 0xFE || c == 0)
	var head []byte
	if c == '{' {
		if second, err := d.next(); err == nil && second == 0 {
			isWide, head = true, []byte{c}
		}
		if d.pos > 0 {
			d.unread()
		}
	} else if isWide {
		d.unread()
	}
	if isWide {
		head = append(head, d.buf[d.pos:]...)
		d.r, d.readErr = UTF16(&prefixed{head, d.r, d.readErr}, c == 0xFE || c == 0), nil
		d.buf, d.pos, d.quoteAt, d.slashAt = nil, 0, -1, -1
		c, err = d.token()
	}
	for err == nil && c == 0xEF {
		c, err = d.afterByteOrderMark()
	}
	return c, err
}

func (d *decoder) afterByteOrderMark() (byte, *DecodeError) {
	for _, want := range []byte{0xBB, 0xBF} {
		c, err := d.next()
		if err != nil {
			return 0, err
		}
		if c != want {
			d.unread()
			return 0, d.fail(ErrSyntax, "expected an object")
		}
	}
	return d.token()
}

func (d *decoder) topLevel(in *Input, key string) *DecodeError {
	if !in.wanted(key) || slices.Contains(d.limits.Skip, key) {
		return d.skip()
	}
	d.verbatim = key == "tool_input"
	d.writeContent = key == "tool_response" && in.ToolName == "Write"
	v, err := d.value(1)
	d.verbatim, d.writeContent = false, false
	in.set(key, v)
	return err
}

// members reads the rest of an object whose brace was consumed and calls value
// at each member, which must consume the member's value.
func (d *decoder) members(value func(key string) *DecodeError) *DecodeError {
	for first := true; ; first = false {
		c, err := d.token()
		if err != nil {
			return err
		}
		if c == '}' {
			return nil
		}
		if !first {
			if c != ',' {
				d.unread()
				return d.fail(ErrSyntax, "expected a comma or a closing brace")
			}
			if c, err = d.token(); err != nil {
				return err
			}
		}
		if c != '"' {
			d.unread()
			return d.fail(ErrSyntax, "expected a member name")
		}
		if err := d.member(value); err != nil {
			return err
		}
	}
}

// member reads name, colon and value; the name's opening quote was consumed.
func (d *decoder) member(value func(key string) *DecodeError) *DecodeError {
	name, err := d.text(maxNameBytes)
	if err != nil {
		return err
	}
	c, err := d.token()
	if err != nil {
		return err
	}
	if c != ':' {
		d.unread()
		return d.fail(ErrSyntax, "expected a colon")
	}
	if name.Cut {
		return d.skip()
	}
	return value(name.Text)
}

// value reads one value that stands inside depth containers. On an error it returns the
// complete part; an incomplete scalar comes back Missing. So does a value that a limit
// dropped.
func (d *decoder) value(depth int) (Value, *DecodeError) {
	c, err := d.token()
	if err != nil {
		return Value{}, err
	}
	if d.beyond(depth, c) {
		return Value{}, d.skipFrom(c)
	}
	d.nodes++
	switch c {
	case '{':
		return d.object(depth + 1)
	case '[':
		return d.array(depth + 1)
	case '"':
		return d.keptString(depth)
	case 't':
		return Value{Kind: Bool, True: true}.unless(d.literal("rue"))
	case 'f':
		return Value{Kind: Bool}.unless(d.literal("alse"))
	case 'n':
		return Value{Kind: Null}.unless(d.literal("ull"))
	}
	return d.number(c)
}

// beyond reports that a limit drops a value that begins with c. Top-level fields
// are few and known, so a flood of nodes in one does not cost the others.
func (d *decoder) beyond(depth int, c byte) bool {
	if depth > 1 && d.nodes >= d.limits.Nodes {
		return true
	}
	return depth >= d.limits.Depth && (c == '{' || c == '[')
}

func (v Value) unless(err *DecodeError) (Value, *DecodeError) {
	if err != nil {
		return Value{}, err
	}
	return v, nil
}

func (d *decoder) literal(rest string) *DecodeError {
	for i := range len(rest) {
		c, err := d.next()
		if err != nil {
			return err
		}
		if c != rest[i] {
			d.unread()
			return d.fail(ErrSyntax, "expected true, false or null")
		}
	}
	return nil
}

func (d *decoder) object(depth int) (Value, *DecodeError) {
	v := Value{Kind: Object}
	var index map[string]int
	writeContent := d.writeContent
	d.writeContent = false
	err := d.members(func(key string) *DecodeError {
		if d.skipped(key) || (writeContent && key == "content") {
			return d.skip()
		}
		member, err := d.value(depth)
		if member.Kind == Missing {
			v.Cut = true
			return err
		}
		index = v.put(index, key, member)
		return err
	})
	return v, err
}

func (d *decoder) skipped(key string) bool {
	return !d.verbatim && slices.Contains(d.limits.Skip, key)
}

// put sets a member, replacing one of the same name. The map is made only for
// large objects, where searching the slice each time would be quadratic.
func (v *Value) put(index map[string]int, key string, member Value) map[string]int {
	if index == nil && len(v.Fields) == manyFields {
		index = make(map[string]int, 2*manyFields)
		for i := range v.Fields {
			index[v.Fields[i].Name] = i
		}
	}
	at, found := index[key]
	if index == nil {
		at = slices.IndexFunc(v.Fields, func(f Field) bool { return f.Name == key })
		found = at >= 0
	}
	if found {
		v.Fields[at].Value = member
		return index
	}
	if index != nil {
		index[key] = len(v.Fields)
	}
	v.Fields = append(v.Fields, Field{Name: key, Value: member})
	return index
}

func (d *decoder) array(depth int) (Value, *DecodeError) {
	v := Value{Kind: Array}
	d.writeContent = false
	for {
		c, err := d.token()
		if err != nil {
			return v, err
		}
		if c == ']' && len(v.Items) == 0 && !v.Cut {
			return v, nil
		}
		d.unread()
		item, err := d.value(depth)
		if item.Kind == Missing {
			v.Cut = true
		} else {
			v.Items = append(v.Items, item)
		}
		if err != nil {
			return v, err
		}
		if c, err = d.token(); err != nil {
			return v, err
		}
		if c == ']' {
			return v, nil
		}
		if c != ',' {
			d.unread()
			return v, d.fail(ErrSyntax, "expected a comma or a closing bracket")
		}
	}
}

// number reads a number that begins with c.
func (d *decoder) number(c byte) (Value, *DecodeError) {
	d.scratch = d.scratch[:0]
	tooLong := false
	for isNumberByte(c) {
		if len(d.scratch) < maxNumberBytes {
			d.scratch = append(d.scratch, c)
		} else {
			tooLong = true
		}
		var err *DecodeError
		if c, err = d.next(); err != nil {
			return Value{}, err
		}
	}
	d.unread()
	if tooLong {
		return Value{}, nil
	}
	text := string(d.scratch)
	if !isNumber(text) {
		return Value{}, d.fail(ErrSyntax, "expected a value")
	}
	return Value{Kind: Number, Text: text}, nil
}

func isNumberByte(c byte) bool {
	return isDigit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isNumber checks the grammar of RFC 8259, section 6: of the bytes of numbers ParseFloat
// takes more than that.
func isNumber(s string) bool {
	if _, err := strconv.ParseFloat(s, 64); err != nil && !errors.Is(err, strconv.ErrRange) {
		return false
	}
	whole := strings.TrimPrefix(s, "-")
	_, fraction, hasPoint := strings.Cut(whole, ".")
	isPadded := strings.HasPrefix(whole, "0") && beginsDigit(whole[1:])
	return beginsDigit(whole) && !isPadded && (!hasPoint || beginsDigit(fraction))
}

func beginsDigit(s string) bool { return s != "" && isDigit(s[0]) }

func (d *decoder) keptString(depth int) (Value, *DecodeError) {
	limit := d.limits.String
	if depth > 1 {
		limit = min(limit, d.limits.Total-d.kept)
	}
	v, err := d.text(limit)
	d.kept += len(v.Text)
	return v, err
}

// text reads a string whose opening quote was consumed and keeps at most limit
// bytes of it. An incomplete string comes back Missing.
func (d *decoder) text(limit int) (Value, *DecodeError) {
	d.scratch, d.dropped, d.private = d.scratch[:0], 0, privateScan{}
	d.isRaw, d.escaped = false, d.escaped[:0]
	var high rune // a high surrogate that waits for its other half
	for {
		if d.pos == len(d.buf) {
			if err := d.fill(); err != nil {
				return Value{}, err
			}
		}
		at := d.special()
		if run := d.buf[d.pos:at]; len(run) > 0 {
			high = d.flush(high)
			d.scratch = append(d.scratch, run...)
			d.pos = at
		}
		d.shrink(limit)
		if at == len(d.buf) {
			continue
		}
		d.pos++
		if d.buf[at] == '"' {
			d.flush(high)
			return d.finish(limit), nil
		}
		var err *DecodeError
		if high, err = d.escape(high); err != nil {
			return Value{}, err
		}
	}
}

// flush writes the replacement for a surrogate that found no other half.
func (d *decoder) flush(high rune) rune {
	if high != 0 {
		d.scratch = utf8.AppendRune(d.scratch, utf8.RuneError)
	}
	return 0
}

// escape reads the rest of an escape after the backslash. It returns a high surrogate
// instead of writing it.
func (d *decoder) escape(high rune) (rune, *DecodeError) {
	c, err := d.next()
	if err != nil {
		return 0, err
	}
	if d.isRaw {
		if c != '"' {
			d.scratch = append(d.scratch, '\\')
		}
		d.scratch = append(d.scratch, c)
		return 0, nil
	}
	if c == 'u' {
		return d.unicodeEscape(high)
	}
	d.flush(high)
	switch c {
	case '"', '\\', '/':
	case 'n':
		c = '\n'
	case 't':
		c = '\t'
	case 'r':
		c = '\r'
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	default:
		d.unescaped(c)
		return 0, nil
	}
	if c != '"' && d.dropped == 0 && len(d.escaped) < maxEscaped {
		d.escaped = append(d.escaped, len(d.scratch))
	}
	d.scratch = append(d.scratch, c)
	return 0, nil
}

// maxEscaped is how many escapes of a string are remembered.
const maxEscaped = 1 << 12

// escapeOf is the letter that stood behind the backslash, for each character that an escape makes.
var escapeOf = [...]byte{'\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '\\': '\\', '/': '/'}

// unescaped reads a backslash with characters behind it that are no escape of JSON, as in
// "C:\Users": nobody escaped the backslashes of this string. So all of them stand for themselves,
// those before it included, but for one before a quote.
func (d *decoder) unescaped(behind ...byte) {
	if d.dropped == 0 && len(d.escaped) > 0 {
		raw, from := make([]byte, 0, len(d.scratch)+len(d.escaped)), 0
		for _, at := range d.escaped {
			raw = append(append(raw, d.scratch[from:at]...), '\\', escapeOf[d.scratch[at]])
			from = at + 1
		}
		d.scratch, d.escaped = append(raw, d.scratch[from:]...), d.escaped[:0]
	}
	d.isRaw = true
	d.scratch = append(append(d.scratch, '\\'), behind...)
}

func (d *decoder) unicodeEscape(high rune) (rune, *DecodeError) {
	var r rune
	read := [5]byte{'u'}
	for i := range 4 {
		c, err := d.next()
		if err != nil {
			return 0, err
		}
		digit, ok := hexValue(c)
		if !ok {
			d.unread()
			d.flush(high)
			d.unescaped(read[:i+1]...)
			return 0, nil
		}
		read[i+1], r = c, r<<4|digit
	}
	if pair := utf16.DecodeRune(high, r); pair != utf8.RuneError {
		d.scratch = utf8.AppendRune(d.scratch, pair)
		return 0, nil
	}
	d.flush(high)
	if 0xD800 <= r && r < 0xDC00 {
		return r, nil
	}
	d.scratch = utf8.AppendRune(d.scratch, r) // a lone low surrogate becomes U+FFFD here
	return 0, nil
}

func hexValue(c byte) (rune, bool) {
	switch {
	case isDigit(c):
		return rune(c - '0'), true
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}

// Decode reads one hook input from r.
//
// It reads in chunks of 64 KiB, stops at the end of the document and leaves the rest
// unread, so memory depends on limits and not on the size of the document. It accepts a
// leading byte order marks, UTF-16, unknown fields, fields of an unexpected type (ignored),
// invalid UTF-8 and lone surrogates (U+FFFD), raw control characters and backslashes in
// strings, and duplicate names (the last wins).
//
// On damaged input it returns a [*DecodeError] together with all fields that were
// complete before the damage: whole values only, so that a half-read session id never
// passes for one. It never panics.
func Decode(r io.Reader, limits Limits) (Input, error) {
	d := decoder{r: r, limits: limits.withDefaults()}
	var in Input
	err := d.document(&in)
	if in.ToolName == "Write" {
		in.ToolResponse = in.ToolResponse.without("content")
	}
	if err != nil {
		return in, err
	}
	return in, nil
}

// ParseObject reads the JSON object that a text begins with, and keeps all of it but names of more than
// 1024 and numbers of more than 64 bytes. The rest is left unread. It takes the same input as Decode,
// but no byte order mark; a text that is cut off or is no object is a [*DecodeError].
func ParseObject(text []byte) (Value, error) {
	v, _, err := parseObject(text)
	return v, err
}

// ParseWhole is ParseObject for a text that has to be one object and nothing else.
func ParseWhole(text []byte) (Value, error) {
	v, d, err := parseObject(text)
	if err != nil {
		return Value{}, err
	}
	if _, end := d.token(); end == nil {
		d.unread()
		return Value{}, d.fail(ErrSyntax, "expected the end")
	}
	return v, nil
}

func parseObject(text []byte) (Value, *decoder, error) {
	d := &decoder{
		buf: text[:len(text):len(text)], readErr: io.EOF, quoteAt: -1, slashAt: -1,
		limits: Limits{String: math.MaxInt32, Total: math.MaxInt32, Depth: 10_001, Nodes: math.MaxInt32, Skip: []string{}},
	}
	c, err := d.token()
	if err != nil {
		return Value{}, d, err
	}
	d.unread()
	if c != '{' {
		return Value{}, d, d.fail(ErrSyntax, "expected an object")
	}
	v, err := d.value(1)
	if err != nil {
		return Value{}, d, err
	}
	return v, d, nil
}
