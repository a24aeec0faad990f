package wire

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/fxamacker/cbor/v2"
	surrealdb "github.com/surrealdb/surrealdb.go"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Sentinels for errors.Is; each is also memory.ErrUnavailable. The wrapping error names the failed request and the cause.
var (
	// ErrUnavailable means that no server answered in time. A running statement may have been executed.
	ErrUnavailable = memory.Mark(errors.New("SurrealDB is not available"), memory.ErrUnavailable)
	// ErrAuth means that the server refuses the credentials, or that they lack a permission.
	ErrAuth = memory.Mark(errors.New("SurrealDB refuses access"), memory.ErrUnavailable)
	// ErrClosed means that this program has closed the Conn.
	ErrClosed = memory.Mark(errors.New("SurrealDB connection is closed"), memory.ErrUnavailable)
)

// StatementError is the engine's refusal of a query.
type StatementError struct {
	// Index is the number of the failed statement, from 0, counting BEGIN. It is -1 if the engine cannot parse the query.
	Index int
	// Message is the engine's message.
	Message string
}

// Error returns the first line of the engine's message. The other lines quote the statement, which does not help users.
func (e *StatementError) Error() string {
	line, _, _ := strings.Cut(strings.TrimSpace(e.Message), "\n")
	return "SurrealDB refused the request: " + line
}

// rootCause returns the error of the statement that failed first. When a transaction fails, the engine reports an error
// for each of its statements, also for statements before the failure.
func rootCause(answer []surrealdb.QueryResult[cbor.RawMessage]) error {
	var cause *StatementError
	for i, one := range answer {
		if one.Error != nil && (cause == nil || isConsequence(cause.Message) && !isConsequence(one.Error.Message)) {
			cause = &StatementError{Index: i, Message: one.Error.Message}
		}
	}
	return cause
}

func isConsequence(message string) bool {
	return strings.HasPrefix(message, "The query was not executed due to a ")
}

func isConflict(err error) bool {
	message := strings.ToLower(messageOf(err))
	return strings.Contains(message, "transaction conflict") ||
		strings.Contains(message, "read or write conflict") ||
		strings.Contains(message, "can be retried")
}

// IsWriteBufferFull reports whether the engine refused a commit because its write buffers no longer hold all writes since the
// transaction began. The engine calls this a retryable conflict.
func IsWriteBufferFull(err error) bool {
	return strings.Contains(messageOf(err), "MemTable only contains changes newer than")
}

func isExpired(err error) bool {
	message := strings.ToLower(messageOf(err))
	return strings.Contains(message, "session has expired") || strings.Contains(message, "token has expired")
}

func isDenied(err error) bool {
	message := messageOf(err)
	return strings.Contains(message, "Not enough permissions") || strings.Contains(message, "Anonymous access not allowed")
}

// messageOf returns the engine's own message, or "".
func messageOf(err error) string {
	if failed, isFailed := errors.AsType[*StatementError](err); isFailed {
		return failed.Message
	}
	if reply, isReply := errors.AsType[*surrealdb.RPCError](err); isReply {
		return reply.Error()
	}
	return ""
}

// isReply reports whether an error is an answer of the server, not an error of the connection.
func isReply(err error) bool {
	_, is := errors.AsType[*surrealdb.RPCError](err)
	return is
}

// classify wraps an error in its sentinel.
func classify(err error) error {
	fault := storageFault(messageOf(err))
	switch {
	case fault != nil:
		return fmt.Errorf("%w: %w", fault, err)
	case isDenied(err), isExpired(err):
		return fmt.Errorf("%w: %w", ErrAuth, err)
	case isReply(err):
		return &StatementError{Index: -1, Message: messageOf(err)}
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: it did not answer in time (%w)", ErrUnavailable, err)
	case errors.Is(err, errSocketGone), errors.Is(err, errNotSent):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

// storageMessage matches errors of the engine's storage. Errors about a query or a value never begin like this.
var storageMessage = regexp.MustCompile(`^(?:(?:Query not executed|Cannot COMMIT): )?(?:There was a problem with (?:a|the) (?:transaction|key-value store|underlying datastore|datastore)(?: transaction)?: )+`)

// emptied matches the error of a database without our tables, or of a missing database.
var emptied = regexp.MustCompile(`^(?:Query not executed: )?The (?:table|database|namespace) '[^']+' does not exist$`)

// formatMessages are the beginnings of errors about rows in a format that the engine does not support.
var formatMessages = []string{
	"Failed to deserialize record", "Failed to fetch record", "A deserialization error ",
}

// storageFault returns memory.ErrStorage or memory.ErrDamaged if an engine's message reports such a fault, or nil. Deleted tables count as a
// fault of the storage, too, because the schema has to be defined again.
func storageFault(message string) error {
	trimmed := strings.TrimPrefix(message, "Query not executed: ")
	for _, known := range formatMessages {
		if strings.HasPrefix(trimmed, known) {
			return memory.ErrDamaged
		}
	}
	if emptied.MatchString(message) {
		return memory.ErrStorage
	}
	prefix := storageMessage.FindString(message)
	cause := message[len(prefix):]
	switch {
	case prefix == "":
		return nil
	case strings.HasPrefix(cause, "Corruption:"), strings.HasPrefix(cause, "IO error: No such file or directory"):
		return memory.ErrDamaged
	case strings.HasPrefix(cause, "IO error:"), strings.HasPrefix(cause, "No space left"), strings.Contains(cause, "read-only"),
		strings.Contains(cause, "background error"):
		return memory.ErrStorage
	}
	return nil
}
