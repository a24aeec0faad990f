package capture

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// MarkFailing notes that a command failed in this session, so that the hook that sees
// it succeed knows that this is worth keeping, whatever the command. Errors are
// ignored: without the mark only this command's fix is not kept.
func MarkFailing(call *hook.Call, command string) {
	mark := failedMark(call, command)
	err := os.WriteFile(mark, nil, 0o600)
	if errors.Is(err, fs.ErrNotExist) && os.MkdirAll(filepath.Dir(mark), 0o700) == nil {
		_ = os.WriteFile(mark, nil, 0o600)
	}
}

// WasFailing tells whether a command failed earlier in this session and had not
// succeeded since, and forgets that.
func WasFailing(call *hook.Call, command string) bool {
	return os.Remove(failedMark(call, command)) == nil
}

func failedMark(call *hook.Call, command string) string {
	return call.Paths.FailedMark(call.Input.SessionID, memory.CommandKey(command))
}
