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

// shareAuthor is the author that facts are shared under.
type shareAuthor struct {
	Author string `json:"author"`
	From   string `json:"from"` // share.author or git
}

// sharing is the folder of a project, and the author of the facts that are shared from it.
func sharing(ctx context.Context, e *environment, dir string) (c shareFolder, who shareAuthor, err error) {
	if c.where, err = e.Project(dir); err != nil {
		return c, who, err
	}
	if c.root = project.Repository(c.where.Root); c.root == "" {
		return c, who, fmt.Errorf(
			"%s lies in no git repository, and facts are shared through one: git init makes it one: %w",
			terminal.Printable(c.where.Root), memory.ErrInvalid)
	}
	if c.files, err = importer.ReadSharedFolder(c.root); err == nil {
		who, err = c.person(ctx, e)
	}
	return c, who, err
}

// person is the author of the facts that are shared from here.
func (c shareFolder) person(ctx context.Context, e *environment) (shareAuthor, error) {
	name, address, _ := strings.Cut(e.Config.Share.Author, "<")
	if who := importer.Person(name, address); who != "" {
		return shareAuthor{Author: who, From: "share.author"}, nil
	}
	who := importer.Person(c.git(ctx, "config", "user.name"), c.git(ctx, "config", "user.email"))
	if who == "" {
		return shareAuthor{},
			fmt.Errorf("nobody is named as the author of shared facts: git config user.name \"Anna\", or %s: %w",
				`memory config set share.author "Anna <anna@example.org>"`, memory.ErrInvalid)
	}
	return shareAuthor{Author: who, From: "git"}, nil
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
		if err := e.Agent.Call(ctx, agentapi.MethodGet.Call(agentapi.GetParams{
			Project: c.where.Key,
			IDs:     []string{id},
		}, &one)); err != nil {
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
