package wire

import (
	"regexp"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// storageMessage matches errors of the layers below queries: the message of a query or value never begins like this.
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
