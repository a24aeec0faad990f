package client

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// tails are the numbers of bytes that are read from the end of a transcript to find what the hook's input lacks: first few,
// then more. Both reads together take less than a hook's deadline.
var tails = []int64{64 << 10, 4 << 20}

// maxMeta is the maximum number of bytes of a transcript's first line. A transcript of Codex (a "rollout") may have the
// instructions of the model there.
const maxMeta = 1 << 20

// CodexThread returns the ID of the thread that a transcript belongs to, from the payload of its first line, or "". A
// thread is a conversation; one session of Codex may have several. A subagent's transcript belongs to the thread that
// started it. A subagent started by another subagent belongs to the session, because only another file names its thread.
func CodexThread(meta hookio.Value) string {
	own, session, parent := meta.String("id"), meta.String("session_id"), meta.String("parent_thread_id")
	switch subagent := meta.Get("source", "subagent"); {
	case subagent.Kind == hookio.Missing:
		return cmp.Or(own, session)
	case subagent.Int("thread_spawn", "depth") > 1:
		return cmp.Or(session, parent, own)
	}
	return cmp.Or(parent, session, own)
}

// threadOf returns the thread of a hook's input, or "" if the transcript does not name it. A transcript's file name
// ends with its own thread.
func threadOf(in hookio.Input) string {
	const dated, id = len("rollout-2006-01-02T15-04-05-"), len("01a20ad2-a069-72b0-b69d-5bac553a42aa")
	file := cmp.Or(in.AgentTranscriptPath, in.TranscriptPath)
	name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
	if len(name) != dated+id || strings.Trim(name[dated:], "0123456789abcdef-") != "" {
		return ""
	}
	if name[dated:] != in.AgentID {
		return name[dated:]
	}
	return CodexThread(FirstLine(file).Get("payload"))
}

// FirstLine returns the object in the first line of a transcript, or a missing Value. It is also missing if the line has more
// than maxMeta bytes.
func FirstLine(file string) hookio.Value {
	f, err := os.Open(file)
	if err != nil {
		return hookio.Value{}
	}
	defer func() { _ = f.Close() }()
	line, _ := bufio.NewReader(io.LimitReader(f, maxMeta)).ReadBytes('\n') // a cut line is not an object
	first, _ := hookio.ParseObject(line)
	return first
}

// codexExitCode returns the exit code of the shell command with a call ID, if the transcript has it.
func codexExitCode(transcript, call string) (code int64, known bool) {
	if call == "" {
		return 0, false
	}
	item := LastLine(transcript, func(entry hookio.Value) bool {
		item := entry.Get("payload", "item")
		return item.String("type") == "CommandExecution" && item.String("id") == call && item.Get("exit_code").Kind == hookio.Number
	}, `"CommandExecution"`, call).Get("payload", "item")
	return item.Int("exit_code"), item.Kind == hookio.Object
}

// Summary returns a compaction's summary without the sentences that a client puts in front for the next model.
func Summary(message string) string {
	for begins, end := range map[string]string{
		"Another language model started to solve this problem": ":\n", "This session is being continued": "\n\n",
	} {
		if _, summary, found := strings.Cut(message, end); found && strings.HasPrefix(message, begins) {
			return summary
		}
	}
	return message
}

// LastLine returns the object in the last line near the end of a transcript that has all the texts and that isWanted accepts, or
// a missing Value.
func LastLine(file string, isWanted func(entry hookio.Value) bool, texts ...string) hookio.Value {
	f, err := os.Open(file)
	if err != nil {
		return hookio.Value{}
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return hookio.Value{}
	}
	for _, size := range tails {
		tail, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-size), size))
		if err != nil {
			return hookio.Value{}
		}
		for len(tail) > 0 {
			start := bytes.LastIndexByte(tail[:len(tail)-1], '\n') + 1
			line := tail[start:]
			if !slices.ContainsFunc(texts, func(text string) bool { return !bytes.Contains(line, []byte(text)) }) {
				if entry, err := hookio.ParseObject(line); err == nil && isWanted(entry) {
					return entry
				}
			}
			tail = tail[:start]
		}
		if size >= info.Size() {
			break
		}
	}
	return hookio.Value{}
}
