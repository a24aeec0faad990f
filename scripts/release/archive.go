package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// epoch is the time of every file in an archive: the oldest time that a zip can hold.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// tgz returns the tree as a compressed tar archive.
func (t tree) tgz() ([]byte, error) {
	var out bytes.Buffer
	packed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(packed)
	for _, f := range t {
		header := &tar.Header{
			Name: f.name, Typeflag: tar.TypeReg, Mode: int64(f.mode()),
			Size: int64(len(f.content)), ModTime: epoch, Format: tar.FormatUSTAR,
		}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := packed.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// zip returns the tree as a zip archive.
func (t tree) zip() ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, f := range t {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: epoch}
		header.SetMode(f.mode())
		w, err := archive.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return out.Bytes(), err
}

// bundle returns the tree as a git bundle, because every machine that has the marketplace has git to unpack it.
func (t tree) bundle(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "memory-release-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	work := filepath.Join(dir, "tree")
	if err := t.write(work); err != nil {
		return nil, err
	}
	var content []byte
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=programs"},
		{"-c", "core.autocrlf=false", "add", "--all", "--force", "."},
		{"commit", "--quiet", "--no-verify", "-m", "programs"},
		{"-c", "pack.threads=1", "bundle", "create", "--quiet", filepath.Join(dir, "bundle"), "programs"},
	} {
		git := exec.CommandContext(ctx, "git", args...)
		git.Dir = work
		git.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME="+command, "GIT_AUTHOR_EMAIL=", "GIT_AUTHOR_DATE=@0 +0000",
			"GIT_COMMITTER_NAME="+command, "GIT_COMMITTER_EMAIL=", "GIT_COMMITTER_DATE=@0 +0000")
		if output, err := git.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("git %s: %w: %s", args[0], err, output)
		}
	}
	if content, err = os.ReadFile(filepath.Join(dir, "bundle")); err != nil {
		return nil, err
	}
	return content, nil
}

// sums returns the checksums of files in the format of sha256sum.
func sums(files []file) []byte {
	var lines bytes.Buffer
	for _, f := range files {
		_, _ = fmt.Fprintf(&lines, "%s  %s\n", sha256Of(f.content), f.name)
	}
	return lines.Bytes()
}

func sha256Of(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// integrity returns the checksum in the format of npm's lock files.
func integrity(content []byte) string {
	sum := sha512.Sum512(content)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// fill replaces each {name} in a template by its value.
func fill(template string, values map[string]string) string {
	var pairs []string
	for name, value := range values {
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(template)
}
