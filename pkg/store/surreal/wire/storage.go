package wire

import (
	"errors"
	"regexp"
	"strings"
)

// Messages of the engine about faults of its storage.
var (
	// ErrStorage: the engine cannot write or read its files, because the disk is full or fails. After a refused write it
	// refuses all others until it is restarted. Deleted tables count as such a fault too, because the schema has to be
	// defined again.
	ErrStorage = errors.New("the storage of SurrealDB fails")
	// ErrDamaged: the store's files are damaged, or written by a newer engine.
	ErrDamaged = errors.New("the files of the store are damaged")
)

// storageMessage matches errors from the layers below the query: no query or value can produce a message that begins so.
var storageMessage = regexp.MustCompile(`^(?:(?:Query not executed|Cannot COMMIT): )?(?:There was a problem with (?:a|the) (?:transaction|key-value store|underlying datastore|datastore)(?: transaction)?: )+`)

// emptied matches the error of a database without our tables, or without any.
var emptied = regexp.MustCompile(`^(?:Query not executed: )?The (?:table|database|namespace) '\w+' does not exist$`)

// formatMessages are errors about rows in a format that the engine does not support.
var formatMessages = []string{
	"Failed to deserialize record", "Failed to fetch record", "A deserialization error ",
}

// storageFault returns the storage fault that a message of the engine reports, or nil.
func storageFault(message string) error {
	trimmed := strings.TrimPrefix(message, "Query not executed: ")
	for _, known := range formatMessages {
		if strings.HasPrefix(trimmed, known) {
			return ErrDamaged
		}
	}
	if emptied.MatchString(message) {
		return ErrStorage
	}
	prefix := storageMessage.FindString(message)
	cause := message[len(prefix):]
	switch {
	case prefix == "":
		return nil
	case strings.HasPrefix(cause, "Corruption:"), strings.HasPrefix(cause, "IO error: No such file or directory"):
		return ErrDamaged
	case strings.HasPrefix(cause, "IO error:"), strings.HasPrefix(cause, "No space left"), strings.Contains(cause, "read-only"),
		strings.Contains(cause, "background error"):
		return ErrStorage
	}
	return nil
}
