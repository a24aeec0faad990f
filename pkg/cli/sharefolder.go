package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
)

// shareFolder is the working tree of a project's repository, with its shared facts.
type shareFolder struct {
	where project.Project
	root  string
	files []importer.SharedFile
}

func shareFolderOf(e *environment, dir string) (shareFolder, error) {
	where, err := e.Project(dir)
	if err != nil {
		return shareFolder{}, err
	}
	c := shareFolder{where: where, root: project.Repository(where.Root)}
	if c.root == "" {
		return c, fmt.Errorf("%s lies in no git repository: facts are shared through one: %w", terminal.Printable(where.Root), memory.ErrInvalid)
	}
	c.files, err = importer.ReadSharedFolder(c.root)
	return c, err
}

// of lists the files with a text.
func (c shareFolder) of(content string) []importer.SharedFile {
	return slices.DeleteFunc(slices.Clone(c.files), func(f importer.SharedFile) bool {
		return f.Refused != nil || memory.Normalise(f.Fact.Content) != memory.Normalise(content)
	})
}

// memories asks for memories by their ids, or beginnings of ids.
func (c shareFolder) memories(ctx context.Context, e *environment, ids []string) ([]memory.Memory, error) {
	var found []memory.Memory
	for _, id := range ids {
		var one []memory.Memory
		if err := e.Agent.Call(ctx, agentapi.MethodGet.Call(agentapi.GetParams{Project: c.where.Key, IDs: []string{id}}, &one)); err != nil {
			return nil, err
		}
		if len(one) == 0 {
			return nil, unknownID(id, c.where.Name)
		}
		found = append(found, one...)
	}
	return found, nil
}

// write adds files to the folder of shared facts. A link in the place of the folder is not
// followed.
func (c shareFolder) write(files map[string][]byte) (written []string, err error) {
	folder, err := c.folder()
	if err != nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }()
	for name, content := range files {
		wrote, err := writeNew(folder, name, content)
		if err != nil {
			return written, fmt.Errorf("write %s: %w", path.Join(importer.SharedFolder, name), err)
		}
		if wrote {
			written = append(written, name)
		}
	}
	return written, nil
}

func (c shareFolder) folder() (*os.Root, error) {
	root, err := os.OpenRoot(c.root)
	if err != nil {
		return nil, fmt.Errorf("open the repository: %w", err)
	}
	defer func() { _ = root.Close() }()
	if err := root.Mkdir(importer.SharedFolder, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make the folder of shared facts: %w", err)
	}
	if info, err := root.Lstat(importer.SharedFolder); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s in %s is no folder, and links are not followed; nothing was written: move it away: %w", importer.SharedFolder, c.root, memory.ErrInvalid)
	}
	return root.OpenRoot(importer.SharedFolder)
}

// writeNew writes a file whose name is the hash of its content, and reports whether it did. An existing file with that
// content stays; one with another content was damaged, and is replaced.
func writeNew(folder *os.Root, name string, content []byte) (wrote bool, err error) {
	if info, err := folder.Lstat(name); err == nil {
		if info.Mode().IsRegular() && info.Size() == int64(len(content)) {
			if there, err := folder.ReadFile(name); err == nil && bytes.Equal(there, content) {
				return false, nil
			}
		}
		if err := folder.Remove(name); err != nil {
			return false, err
		}
	}
	file, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return false, err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil { // half of a fact is none
		err = errors.Join(err, folder.Remove(name))
	}
	return err == nil, err
}

// remove takes files out of the folder of shared facts.
func (c shareFolder) remove(files []importer.SharedFile) error {
	if len(files) == 0 {
		return nil
	}
	folder, err := c.folder()
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	for _, file := range files {
		if err := folder.Remove(file.Name); err != nil {
			return fmt.Errorf("remove %s: %w", path.Join(importer.SharedFolder, file.Name), err)
		}
	}
	return nil
}

// git asks git about the repository; empty if it has no answer or is not there.
func (c shareFolder) git(ctx context.Context, args ...string) string {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", c.root}, args...)...)
	out, err := cmd.Output()
	if err != nil { // no such setting, no commit yet, no git
		return ""
	}
	return strings.TrimSpace(string(out))
}
