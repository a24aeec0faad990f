package hookio_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

const samplesDir = "../../../testdata/hook-input"

func samples(t testing.TB) map[string][]byte {
	t.Helper()
	paths := musttest.Get(filepath.Glob(filepath.Join(samplesDir, "*.json")))(t)
	if len(paths) < 80 {
		t.Fatalf("found %d samples in %s, want the recorded 80 or more", len(paths), samplesDir)
	}
	found := make(map[string][]byte, len(paths))
	for _, path := range paths {
		data := musttest.Get(os.ReadFile(path))(t)
		found[filepath.Base(path)] = data
	}
	return found
}

func decode(t testing.TB, text string) hookio.Input {
	t.Helper()
	in, err := hookio.Decode(strings.NewReader(text))
	if err != nil {
		t.Fatalf("Decode(%.200q): %v", text, err)
	}
	return in
}

// plain is v as encoding/json decodes it with UseNumber.
func plain(v hookio.Value) any {
	switch v.Kind {
	case hookio.Bool:
		return v.True
	case hookio.Number:
		return json.Number(v.Text)
	case hookio.String:
		return v.Text
	case hookio.Array:
		items := make([]any, 0, len(v.Items))
		for _, item := range v.Items {
			items = append(items, plain(item))
		}
		return items
	case hookio.Object:
		members := make(map[string]any, len(v.Fields))
		for _, field := range v.Fields {
			members[field.Name] = plain(field.Value)
		}
		return members
	case hookio.Missing, hookio.Null:
	}
	return nil
}

// reference is the object that data begins with as encoding/json reads it, and how many bytes that took.
func reference(data []byte) (map[string]any, int64, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var doc map[string]any
	err := dec.Decode(&doc)
	return doc, dec.InputOffset(), err
}

// checked are the top-level keys of the samples that Input has a place for, with how to read them back.
var checked = map[string]func(hookio.Input) any{
	"session_id":             func(in hookio.Input) any { return in.SessionID },
	"transcript_path":        func(in hookio.Input) any { return in.TranscriptPath },
	"cwd":                    func(in hookio.Input) any { return in.CWD },
	"hook_event_name":        func(in hookio.Input) any { return in.HookEventName },
	"agent_id":               func(in hookio.Input) any { return in.AgentID },
	"agent_type":             func(in hookio.Input) any { return in.AgentType },
	"source":                 func(in hookio.Input) any { return in.Source },
	"trigger":                func(in hookio.Input) any { return in.Trigger },
	"compact_summary":        func(in hookio.Input) any { return in.CompactSummary },
	"reason":                 func(in hookio.Input) any { return in.Reason },
	"prompt":                 func(in hookio.Input) any { return in.Prompt },
	"tool_name":              func(in hookio.Input) any { return in.ToolName },
	"tool_use_id":            func(in hookio.Input) any { return in.ToolUseID },
	"tool_input":             func(in hookio.Input) any { return plain(in.ToolInput) },
	"tool_response":          func(in hookio.Input) any { return plain(in.ToolResponse) },
	"error":                  func(in hookio.Input) any { return in.Error },
	"is_interrupt":           func(in hookio.Input) any { return in.IsInterrupt },
	"mcp_server":             func(in hookio.Input) any { return plain(in.McpServer) },
	"last_assistant_message": func(in hookio.Input) any { return in.LastAssistantMessage },
	"agent_transcript_path":  func(in hookio.Input) any { return in.AgentTranscriptPath },
	"task_subject":           func(in hookio.Input) any { return in.TaskSubject },
	"task_description":       func(in hookio.Input) any { return in.TaskDescription },
	"teammate_name":          func(in hookio.Input) any { return in.TeammateName },
	"notification_type":      func(in hookio.Input) any { return in.NotificationType },
}

func TestEverySampleDecodesAsWithEncodingJSON(t *testing.T) {
	keepAll := hookio.Limits{Skip: []string{}}
	seen := map[string]bool{}
	for name, data := range samples(t) {
		t.Run(name, func(t *testing.T) {
			want, _, err := reference(data)
			musttest.Do(t, err)
			in := musttest.Get(hookio.DecodeWithin(bytes.NewReader(data), keepAll))(t)
			for key, value := range want {
				read, known := checked[key]
				if !known {
					continue
				}
				seen[key] = true
				musttest.Same(t, value, read(in), "%s (-encoding/json +hookio)", key)
			}
			musttest.Same(t, nil, in.CutFields, "cut in a small sample")
		})
	}
	for key := range checked {
		if !seen[key] {
			t.Errorf("no sample has %q: the check of it checks nothing", key)
		}
	}
}

// wide is a text in UTF-16.
func wide(big bool, text string) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		if big {
			out = binary.BigEndian.AppendUint16(out, unit)
		} else {
			out = binary.LittleEndian.AppendUint16(out, unit)
		}
	}
	return string(out)
}

func TestDecodeTolerates(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want hookio.Input
	}{
		"byte order mark":      {"\ufeff {\"prompt\":\"p\"}", hookio.Input{Prompt: "p"}},
		"byte order marks":     {"\ufeff\ufeff{\"prompt\":\"p\"}", hookio.Input{Prompt: "p"}},
		"little-endian UTF-16": {wide(false, "\ufeff{\"prompt\":\"é😀\"}"), hookio.Input{Prompt: "é😀"}},
		"big-endian UTF-16":    {wide(true, "\ufeff{\"prompt\":\"é😀\"}"), hookio.Input{Prompt: "é😀"}},
		"UTF-16 without mark":  {wide(false, "{\"prompt\":\"p\"}"), hookio.Input{Prompt: "p"}},
		"big without mark":     {wide(true, "{\"prompt\":\"p\"}"), hookio.Input{Prompt: "p"}},
		"raw backslashes":      {`{"cwd":"C:\temp\new\Users\dev","prompt":"see \\nas\q and C:\users\u00e9"}`, hookio.Input{CWD: `C:\temp\new\Users\dev`, Prompt: `see \\nas\q and C:\users\u00e9`}},
		"raw before a quote":   {`{"prompt":"\d is \"digit\"\n","trigger":"\n"}`, hookio.Input{Prompt: `\d is "digit"\n`, Trigger: "\n"}},
		"no hexadecimal digit": {`{"prompt":"\n\u12g4\"\ud83d\u"}`, hookio.Input{Prompt: `\n\u12g4"\ud83d\u`}},
		"white space":          {" \r\n\t{ \"prompt\" : \"p\" , \"trigger\" :\n\"t\" } ", hookio.Input{Prompt: "p", Trigger: "t"}},
		"trailing bytes":       {`{"prompt":"p"}garbage}`, hookio.Input{Prompt: "p"}},
		"unknown fields":       {`{"x":{"prompt":"no","y":[1,{"z":"}"}]},"prompt":"p","w":-1.5e3,"v":null}`, hookio.Input{Prompt: "p"}},
		"unexpected kinds":     {`{"session_id":5,"tool_input":"x","tool_response":true,"is_interrupt":1,"mcp_server":[],"prompt":"p"}`, hookio.Input{Prompt: "p"}},
		"null":                 {`{"custom_instructions":null,"trigger":"auto"}`, hookio.Input{Trigger: "auto"}},
		"duplicate names":      {`{"prompt":"a","prompt":"b","tool_input":{"x":"1","y":"2","x":"3"}}`, hookio.Input{Prompt: "b", ToolInput: object("x", text("3"), "y", text("2"))}},
		"invalid UTF-8":        {"{\"prompt\":\"a\xff\xe2\x82b\"}", hookio.Input{Prompt: "a���b"}},
		"escapes":              {`{"prompt":"\"\\\/\b\f\n\r\t\u00e9\u20AC"}`, hookio.Input{Prompt: "\"\\/\b\f\n\r\té€"}},
		"surrogate pair":       {`{"prompt":"\ud83d\ude00"}`, hookio.Input{Prompt: "😀"}},
		"lone surrogates":      {`{"prompt":"\ud83d!\ude00\ud83d\n\ud83d\ud83d\ude00\ud83d"}`, hookio.Input{Prompt: "\ufffd!\ufffd\ufffd\n\ufffd😀\ufffd"}},
		"control characters":   {"{\"prompt\":\"a\nb\x00c\"}", hookio.Input{Prompt: "a\nb\x00c"}},
		"escaped member name":  {`{"pro\u006dpt":"p"}`, hookio.Input{Prompt: "p"}},
		"empty object":         {`{}`, hookio.Input{}},
		"a prompt in parts":    {`{"prompt":[{"type":"text","text":"a"},{"type":"image","source":{}},null,["x"],7,"b"],"session_id":["s"]}`, hookio.Input{Prompt: "a\nb"}},
		"very long number":     {`{"trigger":` + strings.Repeat("9", 100) + `,"prompt":"p"}`, hookio.Input{Prompt: "p"}},
		"very long member":     {`{"` + strings.Repeat("n", 5000) + `":{"a":[1]},"prompt":"p"}`, hookio.Input{Prompt: "p"}},
		"escaped quote at end": {`{"unknown":"\\","other":"\"","prompt":"p\\"}`, hookio.Input{Prompt: `p\`}},
	} {
		t.Run(name, func(t *testing.T) {
			musttest.Same(t, tc.want, decode(t, tc.text), "(-want +got)")
			// One byte a read puts a chunk boundary everywhere.
			in := musttest.Get(hookio.Decode(iotest.OneByteReader(strings.NewReader(tc.text))))(t)
			musttest.Same(t, tc.want, in, "one byte a read (-want +got)")
		})
	}
}

func TestDamagedInputKeepsTheFieldsBeforeTheDamage(t *testing.T) {
	broken := errors.New("pipe broke")
	for name, tc := range map[string]struct {
		r      io.Reader
		kind   error
		cause  error
		offset int64
		want   hookio.Input
	}{
		"nothing":         {strings.NewReader(""), hookio.ErrEmpty, nil, 0, hookio.Input{}},
		"white space":     {strings.NewReader(" \n"), hookio.ErrEmpty, nil, 0, hookio.Input{}},
		"only a mark":     {strings.NewReader("\ufeff"), hookio.ErrEmpty, nil, 0, hookio.Input{}},
		"half a mark":     {strings.NewReader("\xef{}"), hookio.ErrSyntax, nil, 0, hookio.Input{}},
		"an array":        {strings.NewReader("[1]"), hookio.ErrSyntax, nil, 1, hookio.Input{}},
		"text":            {strings.NewReader("hello"), hookio.ErrSyntax, nil, 0, hookio.Input{}},
		"open string":     {strings.NewReader(`{"session_id":"s","prompt":"half`), hookio.ErrTruncated, nil, 27, hookio.Input{SessionID: "s"}},
		"open number":     {strings.NewReader(`{"session_id":"s","tool_input":12`), hookio.ErrTruncated, nil, 33, hookio.Input{SessionID: "s"}},
		"no comma":        {strings.NewReader(`{"session_id":"s" "prompt":"p"}`), hookio.ErrSyntax, nil, 18, hookio.Input{SessionID: "s"}},
		"no colon":        {strings.NewReader(`{"session_id":"s","prompt""p"}`), hookio.ErrSyntax, nil, 26, hookio.Input{SessionID: "s"}},
		"trailing comma":  {strings.NewReader(`{"session_id":"s",}`), hookio.ErrSyntax, nil, 18, hookio.Input{SessionID: "s"}},
		"no value":        {strings.NewReader(`{"session_id":"s","prompt":}`), hookio.ErrSyntax, nil, 27, hookio.Input{SessionID: "s"}},
		"no value, other": {strings.NewReader(`{"session_id":"s","unknown":}`), hookio.ErrSyntax, nil, 28, hookio.Input{SessionID: "s"}},
		"bad literal":     {strings.NewReader(`{"session_id":"s","is_interrupt":trua}`), hookio.ErrSyntax, nil, 33, hookio.Input{SessionID: "s"}},
		"bad number":      {strings.NewReader(`{"session_id":"s","tool_input":-}`), hookio.ErrSyntax, nil, 31, hookio.Input{SessionID: "s"}},
		"leading zero":    {strings.NewReader(`{"session_id":"s","tool_input":01}`), hookio.ErrSyntax, nil, 32, hookio.Input{SessionID: "s"}},
		"open escape":     {strings.NewReader(`{"session_id":"s","prompt":"\`), hookio.ErrTruncated, nil, 27, hookio.Input{SessionID: "s"}},
		"reader fails":    {io.MultiReader(strings.NewReader(`{"session_id":"s",`), iotest.ErrReader(broken)), hookio.ErrTruncated, broken, 18, hookio.Input{SessionID: "s"}},
		"reader stalls":   {io.MultiReader(strings.NewReader(`{"session_id":"s",`), stalled{}), hookio.ErrTruncated, io.ErrNoProgress, 18, hookio.Input{SessionID: "s"}},
		"inside tool_input": {
			strings.NewReader(`{"session_id":"s","tool_input":{"file_path":"/a","edits":[{"old":"x"},{"old":"y`),
			hookio.ErrTruncated, nil, 77,
			hookio.Input{SessionID: "s", ToolInput: object(
				"file_path", text("/a"),
				"edits", hookio.Value{Kind: hookio.Array, Items: []hookio.Value{object("old", text("x")), {Kind: hookio.Object, Cut: true}}},
			)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			in, err := hookio.Decode(tc.r)
			if !errors.Is(err, tc.kind) {
				t.Fatalf("error %v, want one of kind %v", err, tc.kind)
			}
			if tc.cause != nil && !errors.Is(err, tc.cause) {
				t.Errorf("error %v does not hold its cause %v", err, tc.cause)
			}
			if text := err.Error() + ":"; !strings.Contains(text, fmt.Sprintf(" at byte %d:", tc.offset)) {
				t.Errorf("want the offset %d: %v", tc.offset, err)
			}
			musttest.Same(t, tc.want, in, "(-want +got)")
		})
	}
}

type stalled struct{}

func (stalled) Read([]byte) (int, error) { return 0, nil }

func text(s string) hookio.Value { return hookio.Value{Kind: hookio.String, Text: s} }

func object(pairs ...any) hookio.Value {
	v := hookio.Value{Kind: hookio.Object}
	for i := 0; i < len(pairs); i += 2 {
		v.Fields = append(v.Fields, hookio.Field{Name: pairs[i].(string), Value: pairs[i+1].(hookio.Value)})
	}
	return v
}

func TestTruncationAnywhereKeepsEarlierFields(t *testing.T) {
	for _, name := range []string{"PostToolUse-Write-update.json", "PostToolUse-mcp_remember.json", "SubagentStop-running.json"} {
		data := bytes.TrimSpace(samples(t)[name])
		whole := musttest.Get(hookio.Decode(bytes.NewReader(data)))(t)
		sessionComplete := bytes.Index(data, []byte(whole.SessionID)) + len(whole.SessionID) + 1
		for end := range len(data) {
			in, err := hookio.Decode(bytes.NewReader(data[:end]))
			if err == nil || errors.Is(err, hookio.ErrSyntax) {
				t.Fatalf("%s cut at %d: error %v, want ErrTruncated or ErrEmpty", name, end, err)
			}
			if end >= sessionComplete && in.SessionID != whole.SessionID {
				t.Fatalf("%s cut at %d: session %q lost", name, end, in.SessionID)
			}
			if end < sessionComplete && in.SessionID != "" {
				t.Fatalf("%s cut at %d: half a session id %q kept", name, end, in.SessionID)
			}
			if at := bytes.Index(data, []byte(`"tool_response"`)); at > 0 && end >= at {
				musttest.Same(t, whole.ToolInput, in.ToolInput, "%s cut at %d: tool_input (-whole +cut)", name, end)
			}
		}
	}
}

func TestLongStringKeepsHeadAndTail(t *testing.T) {
	const limit = 200
	for name, unit := range map[string]string{"ascii": "x", "two bytes": "é", "three bytes": "€", "four bytes": "😀", "invalid": "\xff"} {
		for _, length := range []int{limit - 1, limit, limit + 1, 1000, 70_000, 200_000, 300_001} {
			body := strings.Repeat(unit, length/len(unit)+1)
			in := musttest.Get(hookio.DecodeWithin(strings.NewReader(`{"prompt":"HEAD`+body+`TAIL","trigger":"after"}`), hookio.Limits{String: limit}))(t)
			musttest.Same(t, "after", in.Trigger, "%s %d: the field after the long one is lost", name, length)
			got := in.Prompt
			if len(got) > limit || !utf8.ValidString(got) {
				t.Errorf("%s %d: %d bytes kept, valid %v; want at most %d valid bytes", name, length, len(got), utf8.ValidString(got), limit)
			}
			if !strings.HasPrefix(got, "HEAD") || !strings.HasSuffix(got, "TAIL") || !strings.Contains(got, " bytes cut]…") {
				t.Errorf("%s %d: kept %q", name, length, got)
			}
			musttest.Same(t, []string{"prompt"}, in.CutFields, "%s %d: CutFields (-want +got)", name, length)
			checkCount(t, got, 8+len(body), unit)
		}
	}
}

// checkCount checks the number in the marker for text that was valid UTF-8.
func checkCount(t *testing.T, got string, whole int, unit string) {
	t.Helper()
	head, rest, _ := strings.Cut(got, "…[")
	number, tail, _ := strings.Cut(rest, " bytes cut]…")
	if unit == "\xff" {
		return
	}
	musttest.Same(t, fmt.Sprint(whole-len(head)-len(tail)), number, "the marker's number of bytes that were cut")
}

func TestStringWithinTheLimitIsWhole(t *testing.T) {
	body := strings.Repeat("y", 32<<10)
	in := decode(t, `{"prompt":"`+body+`","tool_input":{"a":"`+body+`y"}}`)
	if in.Prompt != body || in.CutFields != nil {
		t.Errorf("a string of exactly the limit was changed: %d bytes, cut %v", len(in.Prompt), in.CutFields)
	}
	if a := in.ToolInput.Get("a"); !a.Cut || len(a.Text) > 32<<10 {
		t.Errorf("a string one byte over the limit: cut %v, %d bytes", a.Cut, len(a.Text))
	}
}

func TestEscapesThatFillALongString(t *testing.T) {
	in := decode(t, `{"prompt":"`+strings.Repeat(`\n`, 1<<20)+`\ud83d\ude00"}`)
	if !strings.HasSuffix(in.Prompt, "\n😀") || len(in.Prompt) > 32<<10 {
		t.Errorf("kept %d bytes ending in %q", len(in.Prompt), in.Prompt[len(in.Prompt)-8:])
	}
}

func TestDepthAndNodesBoundTheTree(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)
	in := decode(t, `{"tool_input":`+deep+`,"prompt":"p"}`)
	depth, v := 0, in.ToolInput
	for ; v.Has("a"); v = v.Get("a") {
		depth++
	}
	// The document is level 1, tool_input level 2, so the last object is level 64.
	if depth != 62 || !v.Cut || in.Prompt != "p" {
		t.Errorf("depth %d (cut %v), prompt %q; want 62, true, p", depth, v.Cut, in.Prompt)
	}

	wide := `{"tool_input":{"list":[` + strings.Repeat(`{"k":[]},`, 100_000) + `1]},"prompt":"p"}`
	in = musttest.Get(hookio.DecodeWithin(strings.NewReader(wide), hookio.Limits{Nodes: 1000}))(t)
	if n := nodes(in.ToolInput); n != 1000 || !in.ToolInput.Get("list").Cut || in.Prompt != "p" {
		t.Errorf("%d nodes kept (cut %v), prompt %q; want 1000, the mark, and the field behind them", n, in.ToolInput.Get("list").Cut, in.Prompt)
	}
}

func nodes(v hookio.Value) int {
	n := 1
	for _, item := range v.Items {
		n += nodes(item)
	}
	for _, field := range v.Fields {
		n += nodes(field.Value)
	}
	return n
}

func TestSkippedMembersAreDropped(t *testing.T) {
	doc := `{"tool_input":{"transcript":"mine","deep":{"originalFile":"mine"}},"tool_response":
		{"originalFile":"x\"}","structuredPatch":[{"lines":["}","\\"]}],"content":"kept","file":{"transcript":{}}},"tool_name":"Edit"}`
	in := decode(t, doc)
	musttest.Same(t, object("content", text("kept"), "file", object()), in.ToolResponse, "tool_response (-want +got)")
	if in.ToolInput.String("transcript") != "mine" || in.ToolInput.String("deep", "originalFile") != "mine" {
		t.Errorf("names inside tool_input belong to the tool: %+v", in.ToolInput)
	}

	custom := musttest.Get(hookio.DecodeWithin(strings.NewReader(doc), hookio.Limits{Skip: []string{"content"}}))(t)
	if custom.ToolResponse.Has("content") || !custom.ToolResponse.Has("originalFile") {
		t.Errorf("Skip of the caller does not replace the default: %+v", custom.ToolResponse)
	}
}

// TestOfTwentyMegabytesTheBeginningIsKept: the client sends what names the tool and its file before any content.
func TestOfTwentyMegabytesTheBeginningIsKept(t *testing.T) {
	read := &counted{r: bytes.NewReader(bigWrite(20 << 20))}
	in, err := hookio.Decode(read)
	if err != nil || read.bytes > 4<<20 {
		t.Errorf("error %v after %d bytes, want none and 4 MiB at most", err, read.bytes)
	}
	if in.SessionID != "s" || in.HookEventName != hookio.PostToolUse || in.ToolName != "Write" || in.ToolInput.String("file_path") != "/a" {
		t.Errorf("what stood before the content is lost: %.300v", in)
	}
	if got := in.ToolInput.Get("content"); !got.Cut || len(got.Text) > 32<<10 {
		t.Errorf("content: cut %v, %d bytes", got.Cut, len(got.Text))
	}
}

// TestALongStringEndsWhereNoMoreIsRead draws where the limit of 4 MiB falls, in escapes, too.
func TestALongStringEndsWhereNoMoreIsRead(t *testing.T) {
	for unit, shifts := range map[string][]int{"é": {0, 1}, `\\`: {0, 1}, `\ud83d\ude00`: {0, 1, 2, 3, 6, 11}, `\"`: {0, 1}} {
		for _, shift := range shifts {
			in, err := hookio.Decode(strings.NewReader(`{"session_id":"` + strings.Repeat("s", shift) + `","prompt":"begin ` + strings.Repeat(unit, 5<<20/len(unit))))
			if err != nil || !strings.HasPrefix(in.Prompt, "begin ") || !utf8.ValidString(in.Prompt) || len(in.SessionID) != shift {
				t.Errorf("%s, %d: error %v, prompt %.20q", unit, shift, err, in.Prompt)
			}
		}
	}
}

type counted struct {
	r     io.Reader
	bytes int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.bytes += n
	return n, err
}

// bigWrite is a PostToolUse of Write of about size bytes: the content stands in
// it three times, as the client sends it for an update.
func bigWrite(size int) []byte {
	line := `func add(a, b int) int { return a + b } // \"quoted\"\n`
	content := `"` + strings.Repeat(line, size/3/len(line)) + `THE END"`
	return []byte(`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{"file_path":"/a","content":` + content +
		`},"tool_response":{"type":"update","content":` + content + `,"structuredPatch":[],"originalFile":` + content + `},"trigger":"7"}`)
}

func FuzzDecodeNeverPanics(f *testing.F) {
	for _, data := range samples(f) {
		f.Add(data, 64, 1)
	}
	f.Add([]byte("{\"prompt\":\"\xf0\x9f"), 70, 3)
	f.Fuzz(func(t *testing.T, data []byte, limit, chunk int) {
		limits := hookio.Limits{String: limit % 300, Depth: 4, Nodes: 20}
		in, err := hookio.DecodeWithin(&chunks{data: data, size: chunk}, limits)
		same, sameErr := hookio.DecodeWithin(bytes.NewReader(data), limits)
		musttest.Same(t, same, in, "the size of the reads changes the result")
		if (err == nil) != (sameErr == nil) || (err != nil && err.Error() != sameErr.Error()) {
			t.Errorf("the size of the reads changes the error: %v, %v", err, sameErr)
		}
		if !utf8.ValidString(in.Prompt) || !utf8.ValidString(fmt.Sprint(plain(in.ToolInput))) {
			t.Error("invalid UTF-8 came through")
		}
	})
}

type chunks struct {
	data []byte
	size int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 1+(c.size&0xFF))], c.data)
	c.data = c.data[n:]
	return n, nil
}
