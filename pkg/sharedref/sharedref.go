// Package sharedref exchanges the shared facts of a project through a ref of its repository, beside
// the branches. A directory of the user's home says that the user has chosen this for a project,
// and holds a copy of the facts, in a folder like that of a checkout. Git runs in a bare repository
// there, and reads no settings of a checkout.
package sharedref

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/gitref"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
)

// attempts bounds how often a change is made again because somebody else was faster.
const attempts = 5

// Ref is the ref of a project in the user's directory for it.
type Ref struct{ Dir string }

// IsChosen says that the user shares the project's facts through the ref.
func (r Ref) IsChosen() bool {
	_, err := os.Stat(filepath.Join(r.Dir, "repository", "HEAD"))
	return err == nil
}

// Choose has the project's facts shared through the ref of the repository at an address, and
// fetches it.
func (r Ref) Choose(ctx context.Context, address string) error {
	isNew := !r.IsChosen()
	ref, err := gitref.Open(ctx, r.Dir, address, importer.SharedRef)
	if err == nil {
		err = r.fetch(ctx, ref)
	}
	if err != nil && isNew {
		err = errors.Join(err, r.Leave())
	}
	return err
}

// Leave undoes Choose; the repository keeps its ref.
func (r Ref) Leave() error {
	if err := os.RemoveAll(r.Dir); err != nil {
		return fmt.Errorf("remove the copy of %s: %w", importer.SharedRef, err)
	}
	return nil
}

// Copy is a directory with the folder of the facts that were fetched last.
func (r Ref) Copy() string { return filepath.Join(r.Dir, "copy") }

// ChosenCopy is Copy; empty if the user has not chosen the ref.
func (r Ref) ChosenCopy() string {
	if !r.IsChosen() {
		return ""
	}
	return r.Copy()
}

// Fetch brings the copy up to date.
func (r Ref) Fetch(ctx context.Context) error {
	ref, err := gitref.Open(ctx, r.Dir, "", importer.SharedRef)
	if err != nil {
		return err
	}
	return r.fetch(ctx, ref)
}

// isFact tells the names of files that can be facts; others in the ref are left alone.
var isFact = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]{0,99}\.md$`).MatchString

func (r Ref) fetch(ctx context.Context, ref *gitref.Ref) error {
	if _, err := ref.Fetch(ctx); err != nil {
		return err
	}
	return ref.Mirror(ctx, filepath.Join(r.Copy(), importer.SharedFolder), importer.MaxSharedBytes, importer.MaxSharedFiles+1, isFact)
}

// Change adds files and removes others, also if somebody else changes the ref at the same time.
func (r Ref) Change(ctx context.Context, add map[string][]byte, remove []string) error {
	ref, err := gitref.Open(ctx, r.Dir, "", importer.SharedRef)
	if err != nil {
		return err
	}
	for range attempts {
		if _, err = ref.Fetch(ctx); err != nil {
			return err
		}
		if err = ref.Change(ctx, "share facts", add, remove); !errors.Is(err, gitref.ErrRaced) {
			break
		}
	}
	if err != nil {
		return err
	}
	return r.fetch(ctx, ref)
}
