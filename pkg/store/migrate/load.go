package migrate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// SumFile is the file with the checksums next to the migrations, one line "sha256  file" each.
const SumFile = "migrations.sum"

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
// migrations check that the embedded files are as SumFile says.
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

const template = `-- %s
--
-- Runs as one transaction, together with its line in migration_history; leave out BEGIN and COMMIT.
-- Run "memory-migrate sum" when it is finished. Once it is released it must not change any more.

`

// New creates the next numbered file in a directory, with a comment but no statement, adds it to SumFile and
// returns its path.
func New(dir, name string) (string, error) {
	migrations, err := Load(os.DirFS(dir))
	if err != nil {
		return "", err
	}
	file := fmt.Sprintf("%04d_%s.surql", len(migrations)+1, name)
	if !fileName.MatchString(file) {
		return "", fmt.Errorf("%q cannot name a migration: use a-z, 0-9 and _", name)
	}
	path := filepath.Join(dir, file)
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", fmt.Errorf("create a migration: %w", err)
	}
	_, err = fmt.Fprintf(out, template, strings.ReplaceAll(name, "_", " "))
	if err = errors.Join(err, out.Close()); err != nil {
		return "", fmt.Errorf("write a migration: %w", err)
	}
	return path, UpdateSums(dir)
}

// UpdateSums updates SumFile to match the files of a directory.
func UpdateSums(dir string) error {
	migrations, err := Load(os.DirFS(dir))
	if err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(dir, SumFile), 0o644, []byte(Sums(migrations))); err != nil {
		return fmt.Errorf("write the migrations' checksums: %w", err)
	}
	return nil
}

// Sums returns the text of SumFile for some migrations.
func Sums(migrations []Migration) string {
	var lines strings.Builder
	for _, m := range migrations {
		fmt.Fprintf(&lines, "%s  %s\n", m.SHA256, m.File)
	}
	return lines.String()
}
