package engine

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

var versionPattern = regexp.MustCompile(`\d+\.\d+\.\d+\S*`)

// officialFile, among the engine's own files, says which build of SurrealDB is fetched where there is no Node.js. A release
// fills it in; without the platform's file in it nothing is fetched.
const officialFile = "surreal.json"

// official is a build of SurrealDB for some platforms.
type official struct {
	Version string                   `json:"version"`
	Address string                   `json:"address"` // of the folder that holds the files
	Files   map[string]officialBuild `json:"files"`   // by GOOS/GOARCH
}

// officialBuild is the only file that may be fetched: a program, or a compressed archive (.tgz) of one.
type officialBuild struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// mostUnpacked bounds the program in an archive, in bytes.
const mostUnpacked = 512 << 20

// fetchTime bounds a download without progress.
const fetchTime = time.Minute

// readOfficial reads which build this platform is to have; false: none.
func readOfficial(sources string) (official, officialBuild, bool) {
	var all official
	content, err := os.ReadFile(filepath.Join(sources, officialFile))
	if err != nil || json.Unmarshal(content, &all) != nil {
		return all, officialBuild{}, false
	}
	build, ok := all.Files[runtime.GOOS+"/"+runtime.GOARCH]
	return all, build, ok && build.SHA256 != "" && versionPattern.MatchString(all.Version)
}

// officialProgram is where the build is installed.
func officialProgram(packages, version string) string {
	name := "surreal"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(packages, "surreal-"+version, name)
}

// officialChoice is the official build, as ErrNotInstalled where it can be fetched; ErrNoEngine where it cannot.
func officialChoice(options Options) (Choice, error) {
	all, _, ok := readOfficial(options.Sources)
	if !ok {
		return Choice{}, ErrNoEngine
	}
	choice := Choice{Kind: Binary, Version: all.Version, Storage: RocksDB, Path: officialProgram(options.Packages, all.Version)}
	return choice, fmt.Errorf("%w in %s: the official build, since Node.js is not here", ErrNotInstalled, options.Packages)
}

// installOfficial fetches the official build. Afterwards either the whole program is there, or nothing.
func installOfficial(ctx context.Context, options Options, progress io.Writer) error {
	all, build, ok := readOfficial(options.Sources)
	if !ok {
		return ErrNoEngine
	}
	program := officialProgram(options.Packages, all.Version)
	if _, err := os.Stat(program); err == nil {
		return nil
	}
	address := all.Address + "/" + build.Name
	_, _ = fmt.Fprintf(progress, "fetching %s: %d MB\n", address, build.Bytes>>20)
	work, err := os.MkdirTemp(options.Packages, ".fetching-")
	if err != nil {
		return fmt.Errorf("fetching SurrealDB: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	fetched := filepath.Join(work, "fetched")
	if err := fetch(ctx, address, build, fetched); err != nil {
		return fmt.Errorf("fetching SurrealDB, memory setup engine install does it again: %w", err)
	}
	unpacked := filepath.Join(work, "whole", filepath.Base(program))
	if err := unpackProgram(fetched, build.Name, unpacked); err != nil {
		return fmt.Errorf("unpacking SurrealDB from %s: %w", address, err)
	}
	_ = os.RemoveAll(filepath.Dir(program)) // the rest of an interrupted installation
	if err := os.Rename(filepath.Dir(unpacked), filepath.Dir(program)); err != nil {
		return fmt.Errorf("installing SurrealDB: %w", err)
	}
	return nil
}

// fetch downloads a file and checks that it is the pinned one. It gives up when no byte comes for
// fetchTime.
func fetch(ctx context.Context, address string, build officialBuild, file string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(fetchTime, func() { cancel(fmt.Errorf("%s sent nothing for %s", address, fetchTime)) })
	defer idle.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", address, response.Status)
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	watched := readerFunc(func(p []byte) (int, error) {
		n, err := response.Body.Read(p)
		idle.Reset(fetchTime)
		return n, err
	})
	written, err := io.Copy(io.MultiWriter(out, sum), io.LimitReader(watched, build.Bytes+1))
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("%s: %w", address, errors.Join(err, context.Cause(ctx)))
	}
	if got := hex.EncodeToString(sum.Sum(nil)); written != build.Bytes || got != build.SHA256 {
		return fmt.Errorf("%s is not what this version of the plugin asks for (SHA-256 %s, %d bytes, instead of %s, %d); a proxy may have answered in its place. It was not used",
			address, got, written, build.SHA256, build.Bytes)
	}
	return nil
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// unpackProgram writes the program from a fetched file, which is the program or an archive of it, and
// makes it executable. Other files of an archive are not written, whatever their paths.
func unpackProgram(fetched, name, target string) error {
	from, err := os.Open(fetched)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	var content io.Reader = from
	if strings.HasSuffix(name, ".tgz") {
		if content, err = programIn(from, filepath.Base(target)); err != nil {
			return err
		}
	}
	if err := os.Mkdir(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	written, err := io.Copy(out, io.LimitReader(content, mostUnpacked+1))
	if err == nil && written > mostUnpacked {
		err = fmt.Errorf("it has more than %d MB", mostUnpacked>>20)
	}
	return errors.Join(err, out.Sync(), out.Close())
}

// programIn finds a regular file in a compressed archive.
func programIn(archive io.Reader, name string) (io.Reader, error) {
	unpacked, err := gzip.NewReader(archive)
	if err != nil {
		return nil, err
	}
	files := tar.NewReader(io.LimitReader(unpacked, 2*mostUnpacked))
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("no program %s in it: %w", name, fs.ErrNotExist)
		}
		if err != nil {
			return nil, err
		}
		if header.Typeflag == tar.TypeReg && filepath.Base(header.Name) == name {
			return files, nil
		}
	}
}
