package migrate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
)

// Migration is a migration file.
type Migration struct {
	Version int    // from 1
	Name    string // file name without number and extension
	File    string
	SQL     string
	SHA256  string // hash of the file, in hexadecimal
}

var fileName = regexp.MustCompile(`^([0-9]{4})_([a-z0-9_]+)\.surql$`)

// Load reads the files NNNN_name.surql in the order of their numbers, which have no gap. It ignores other files. The tests of package
// migrations check that the embedded files are as migrations.sum says.
func Load(fsys fs.FS) ([]Migration, error) {
	entries, err := fs.ReadDir(fsys, ".") // sorted
	if err != nil {
		return nil, fmt.Errorf("list the migrations: %w", err)
	}
	var migrations []Migration
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".surql") {
			continue
		}
		parts := fileName.FindStringSubmatch(entry.Name())
		if parts == nil {
			return nil, fmt.Errorf("%s: not a migration's name: use NNNN_name.surql with a-z, 0-9 and _", entry.Name())
		}
		data, err := fs.ReadFile(fsys, entry.Name())
		if err != nil {
			return nil, fmt.Errorf("read a migration: %w", err)
		}
		version, _ := strconv.Atoi(parts[1]) // four digits
		if version != len(migrations)+1 {
			return nil, fmt.Errorf("%s has the number %d, want %d: renumber it", entry.Name(), version, len(migrations)+1)
		}
		sum := sha256.Sum256(data)
		migrations = append(migrations, Migration{
			Version: version, Name: parts[2], File: entry.Name(), SQL: string(data), SHA256: hex.EncodeToString(sum[:]),
		})
	}
	return migrations, nil
}
