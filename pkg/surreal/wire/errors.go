package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fxamacker/cbor/v2"
	surrealdb "github.com/surrealdb/surrealdb.go"
)

// Sentinels for errors.Is. The wrapped error says which request failed and how.
var (
	// ErrUnavailable: no server answers, or not in time. Whether a statement that was under way took effect is unknown.
	ErrUnavailable = errors.New("SurrealDB is not available")
	// ErrAuth: the server refuses the credentials, or they lack a permission.
	ErrAuth = errors.New("SurrealDB refuses access")
	// ErrClosed: the Conn was closed by this program.
	ErrClosed = errors.New("SurrealDB connection is closed")
)

// StatementError is the engine's refusal of a query.
type StatementError struct {
	// Index is the number of the statement that failed, from 0, BEGIN counting as one; -1 when the engine refused the
	// query as a whole, which it does when it cannot parse it.
	Index int
	// Message is the engine's own.
	Message string

	kept bool // another statement of the query took effect
}

// Error is the first line of the engine's message. The rest quotes the statement, which
// does not help users; Index and Message have everything.
func (e *StatementError) Error() string {
	line, _, _ := strings.Cut(strings.TrimSpace(e.Message), "\n")
	return "SurrealDB refused the request: " + line
}

// rootCause finds the statement that failed by itself: when a transaction fails, the engine reports an error for every
// statement in it, those before the failure included.
func rootCause(sql string, answer []surrealdb.QueryResult[cbor.RawMessage]) error {
	var cause *StatementError
	kept := false
	for i, one := range answer {
		if one.Error == nil {
			kept = kept || i > 0 || !opensTransaction(sql)
			continue
		}
		message := one.Error.Message
		if cause == nil || (isConsequence(cause.Message) && !isConsequence(message)) {
			cause = &StatementError{Index: i, Message: message}
		}
	}
	cause.kept = kept
	return cause
}

func isConsequence(message string) bool {
	return strings.HasPrefix(message, "The query was not executed due to a ")
}

func opensTransaction(sql string) bool {
	sql = strings.TrimSpace(sql)
	return len(sql) >= len("BEGIN") && strings.EqualFold(sql[:len("BEGIN")], "BEGIN")
}

// leftNothing tells whether a failed query changed nothing, so that sending it again is safe.
func leftNothing(err error) bool {
	var failed *StatementError
	return !errors.As(err, &failed) || !failed.kept
}

func isConflict(err error) bool {
	message := strings.ToLower(messageOf(err))
	return strings.Contains(message, "transaction conflict") ||
		strings.Contains(message, "read or write conflict") ||
		strings.Contains(message, "can be retried")
}

// IsOutgrown tells whether the engine refused a commit because its write buffers no longer hold all that was written since
// the transaction began. It calls that a conflict that can be retried.
func IsOutgrown(err error) bool {
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

// messageOf returns the engine's own message, or nothing where there is none.
func messageOf(err error) string {
	var failed *StatementError
	var reply *surrealdb.RPCError
	switch {
	case errors.As(err, &failed):
		return failed.Message
	case errors.As(err, &reply):
		return reply.Error()
	}
	return ""
}

// isReply tells whether an error is an answer of the server, and not one of the
// connection.
func isReply(err error) bool {
	var reply *surrealdb.RPCError
	return errors.As(err, &reply)
}

// classify wraps an error in its sentinel.
func classify(err error) error {
	var reply *surrealdb.RPCError
	if fault := storageFault(messageOf(err)); fault != nil {
		return fmt.Errorf("%w: %w", fault, err)
	}
	switch {
	case isDenied(err), isExpired(err):
		return fmt.Errorf("%w: %w", ErrAuth, err)
	case errors.As(err, &reply):
		return &StatementError{Index: -1, Message: reply.Error()}
	case errors.Is(err, errSocketGone), errors.Is(err, errNotSent), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}
