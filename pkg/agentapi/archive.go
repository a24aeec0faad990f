package agentapi

import "time"

// MethodBackup writes a backup of the store now. It answers when the file is
// complete, which takes as long as reading the whole store.
var MethodBackup = Method[BackupParams, BackupResult]{"backup"}

// BackupParams says where to.
type BackupParams struct {
	// File is an absolute path that is not taken; empty: the directory of the daily
	// backups, which is rotated.
	File string `json:"file,omitempty"`
}

// BackupResult describes the written file.
type BackupResult struct {
	File          string    `json:"file"`
	Bytes         int64     `json:"bytes"`
	Rows          int       `json:"rows"`
	SchemaVersion int       `json:"schema_version"`
	CreatedAt     time.Time `json:"created_at"`
	Deleted       []string  `json:"deleted,omitempty"` // older backups that the rotation deleted
}
