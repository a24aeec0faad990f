package engine

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

const (
	silenceLimit    = time.Minute // time without a byte after which a download is given up
	largestPackage  = 120 << 20   // most bytes of a package; the largest has 71 MB today
	largestUnpacked = 512 << 20   // most bytes of a package's files
)

// archive is an npm package at an address. It is used only if it has the hash.
type archive struct {
	address   string
	integrity string // "sha512-" and the SHA-512 in base64, as in a lock file
}

// download downloads the archive to a new file. It fails after silenceLimit without a byte, and if the hash is wrong.
func (a archive) download(ctx context.Context, file string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(silenceLimit, func() { cancel(fmt.Errorf("it sent nothing for %s", silenceLimit)) })
	defer idle.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.address, http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return errors.Join(err, context.Cause(ctx)) // err names the address
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", a.address, response.Status)
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	sum := sha512.New()
	watched := readerFunc(func(p []byte) (int, error) {
		n, err := response.Body.Read(p)
		idle.Reset(silenceLimit)
		return n, err
	})
	written, err := io.Copy(io.MultiWriter(out, sum), io.LimitReader(watched, largestPackage+1))
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("%s: %w", a.address, errors.Join(err, context.Cause(ctx)))
	}
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum.Sum(nil)); got != a.integrity {
		return fmt.Errorf("%s does not have the expected hash (%d bytes, %s instead of %s), so it was not used; a proxy may have answered in its place",
			a.address, written, got, a.integrity)
	}
	return nil
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// install downloads the archive and unpacks it into a new directory dir. keep maps a path in the package, such as
// bin/node, to a path in dir, or to "" to skip the file.
func (a archive) install(ctx context.Context, dir string, keep func(string) string) error {
	packed := dir + ".tgz"
	defer func() { _ = os.Remove(packed) }()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := a.download(ctx, packed); err != nil {
		return err
	}
	if err := unpack(packed, dir, keep); err != nil {
		return fmt.Errorf("unpack %s: %w", a.address, err)
	}
	return nil
}

// unpack writes the regular files of an npm package into a directory. It refuses file names that lead out of the directory.
func unpack(packed, dir string, keep func(string) string) error {
	file, err := os.Open(packed)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	plain, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	limited := &io.LimitedReader{R: plain, N: largestUnpacked}
	for files := tar.NewReader(limited); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) && limited.N > 0 {
			return nil
		}
		if limited.N <= 0 {
			return fmt.Errorf("it is larger than %d MB", largestUnpacked>>20)
		}
		if err != nil {
			return err
		}
		_, inside, _ := strings.Cut(path.Clean(header.Name), "/") // npm packs all files in one folder
		if header.Typeflag != tar.TypeReg || keep(inside) == "" {
			continue
		}
		if err := writeFile(root, filepath.FromSlash(keep(inside)), header.FileInfo().Mode()&0o100 != 0, files); err != nil {
			return err
		}
	}
}

func writeFile(root *os.Root, name string, isProgram bool, content io.Reader) error {
	mode := os.FileMode(0o644)
	if isProgram {
		mode = 0o755
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	return errors.Join(err, out.Sync(), out.Close())
}
