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
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// SumFile is the file with the checksums next to the migrations, one line "sha256  file" each.
const SumFile = "migrations.sum"

// Migration is a migration file.
type Migration struct {
	Version    int    // from 1
	Name       string // file name without number and extension
	File       string
	SQL        string
	SHA256     string // hash of the file, in hexadecimal
	Statements []Statement
}

var fileName = regexp.MustCompile(`^([0-9]{4})_([a-z0-9_]+)\.surql$`)

// Load reads the files NNNN_name.surql, numbered from 0001 without gaps, and checks them against SumFile. It
// ignores other files. Its error lists all problems. A migration must not begin a transaction or change the
// database, because its Store runs it inside a transaction.
func Load(fsys fs.FS) ([]Migration, error) {
	migrations, err := read(fsys)
	if err != nil {
		return nil, err
	}
	problems := append(numbering(migrations), contents(migrations)...)
	sums, err := readSums(fsys, len(migrations) == 0)
	if err != nil {
		problems = append(problems, err)
	} else {
		problems = append(problems, compareSums(migrations, sums)...)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return migrations, nil
}

// read returns the files in order, without their statements.
func read(fsys fs.FS) ([]Migration, error) {
	entries, err := fs.ReadDir(fsys, ".")
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
		version, err := strconv.Atoi(parts[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		migrations = append(migrations, Migration{
			Version: version, Name: parts[2], File: entry.Name(), SQL: string(data), SHA256: checksum(data),
		})
	}
	slices.SortStableFunc(migrations, func(a, b Migration) int { return a.Version - b.Version })
	return migrations, nil
}

func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func numbering(migrations []Migration) (problems []error) {
	last := Migration{}
	for _, m := range migrations {
		switch {
		case m.Version == last.Version && last.File != "":
			problems = append(problems, fmt.Errorf("%s: number %04d is also used by %s: renumber one of them", m.File, m.Version, last.File))
		case m.Version != last.Version+1:
			problems = append(problems,
				fmt.Errorf("%s: number %04d is missing before it: migrations are numbered from 0001 without a gap", m.File, last.Version+1))
		}
		last = m
	}
	return problems
}

// contents splits all files into statements and returns the problems.
func contents(migrations []Migration) (problems []error) {
	for i := range migrations {
		m := &migrations[i]
		if !utf8.ValidString(m.SQL) {
			problems = append(problems, fmt.Errorf("%s: not UTF-8", m.File))
			continue
		}
		statements, err := Split(m.SQL)
		var syntax *SyntaxError
		switch {
		case errors.As(err, &syntax):
			problems = append(problems, fmt.Errorf("%s:%d: %s", m.File, syntax.Line, syntax.Message))
		case len(statements) == 0:
			problems = append(problems, fmt.Errorf("%s: is empty: write its statements or remove the file", m.File))
		}
		for _, statement := range statements {
			if word := firstWord(statement.SQL); reserved[word] {
				problems = append(problems,
					fmt.Errorf("%s:%d: %s is not allowed: every migration is one transaction in one database", m.File, statement.Line, word))
			}
		}
		m.Statements = statements
	}
	return problems
}

var reserved = map[string]bool{"BEGIN": true, "COMMIT": true, "CANCEL": true, "USE": true}

func firstWord(sql string) string {
	end := strings.IndexFunc(sql, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
	if end < 0 {
		end = len(sql)
	}
	return strings.ToUpper(sql[:end])
}

// readSums returns the checksums by file. With mayMiss, SumFile may be missing.
func readSums(fsys fs.FS, mayMiss bool) (map[string]string, error) {
	data, err := fs.ReadFile(fsys, SumFile)
	if errors.Is(err, fs.ErrNotExist) && mayMiss {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the migrations' checksums: %w", err)
	}
	sums := make(map[string]string)
	for i, line := range strings.Split(string(data), "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		sum, file, ok := strings.Cut(line, "  ")
		if !ok || len(sum) != 2*sha256.Size || sums[file] != "" {
			return nil, fmt.Errorf("%s:%d: want `sha256  file`, each file once", SumFile, i+1)
		}
		sums[file] = sum
	}
	return sums, nil
}

func compareSums(migrations []Migration, sums map[string]string) (problems []error) {
	known := make(map[string]bool, len(migrations))
	for _, m := range migrations {
		known[m.File] = true
		switch sum := sums[m.File]; {
		case sum == "":
			problems = append(problems, fmt.Errorf("%s: has no line in %s: run memory-migrate sum", m.File, SumFile))
		case sum != m.SHA256:
			problems = append(problems,
				fmt.Errorf("%s: was edited, %s has another checksum: if it was never released run memory-migrate sum, else restore it and write a new migration", m.File, SumFile))
		}
	}
	for file := range sums {
		if !known[file] {
			problems = append(problems,
				fmt.Errorf("%s: is in %s but does not exist: restore the file or run memory-migrate sum", file, SumFile))
		}
	}
	slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return problems
}

const template = `-- %s
--
-- Runs as one transaction, together with its line in migration_history; leave out BEGIN and COMMIT.
-- Run "memory-migrate sum" when it is finished. Once it is released it must not change any more.

`

// New creates the next numbered file in a directory, with a comment but no statement, adds it to SumFile and
// returns its path. It replaces spaces, dashes and capitals in name.
func New(dir, name string) (string, error) {
	clean := strings.Trim(strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' {
			return '_'
		}
		return r
	}, strings.ToLower(name)), "_")
	migrations, err := read(os.DirFS(dir))
	if err != nil {
		return "", err
	}
	if err := errors.Join(numbering(migrations)...); err != nil {
		return "", err
	}
	file := fmt.Sprintf("%04d_%s.surql", len(migrations)+1, clean)
	if !fileName.MatchString(file) {
		return "", fmt.Errorf("%q cannot name a migration: use a-z, 0-9 and _", name)
	}
	path := filepath.Join(dir, file)
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", fmt.Errorf("create a migration: %w", err)
	}
	_, err = fmt.Fprintf(out, template, strings.ReplaceAll(clean, "_", " "))
	if err = errors.Join(err, out.Close()); err != nil {
		return "", fmt.Errorf("write a migration: %w", err)
	}
	return path, Sum(dir)
}

// Sum updates SumFile to match the files of a directory.
func Sum(dir string) error {
	migrations, err := read(os.DirFS(dir))
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, m := range migrations {
		fmt.Fprintf(&lines, "%s  %s\n", m.SHA256, m.File)
	}
	if err := atomicfile.Write(filepath.Join(dir, SumFile), 0o644, []byte(lines.String())); err != nil {
		return fmt.Errorf("write the migrations' checksums: %w", err)
	}
	return nil
}
