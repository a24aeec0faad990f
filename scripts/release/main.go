// Command release makes a release of the plugin: for each platform an archive of the whole plugin with its programs, an npm
// package and a git bundle of the same tree, and beside them checksums, a bill of materials, the licences of all that is
// linked, a Homebrew formula, a Scoop manifest, and the marketplace that refers to them. Two runs for one version give the
// same bytes. It publishes nothing; see scripts/release/README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
)

// The places where a release is published. Nothing else in the repository names them, except files of past releases.
const (
	// scope is the npm scope of the packages with programs; command is the npm package that people run by npx.
	scope   = "@surrealdb-memory"
	command = "surrealdb-memory"
	// project is the public repository; downloads is the address of a version's files.
	project   = "https://github.com/surrealdb-memory/surrealdb-memory"
	downloads = project + "/releases/download/v%s"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

var versionPattern = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	var r release
	flags.StringVar(&r.version, "version", "", "of the release: `x.y.z`")
	flags.StringVar(&r.stamp, "stamp", "0", "when the source was committed, in `seconds` since 1970")
	flags.StringVar(&r.dir, "out", "", "the `folder` to write to; it is replaced")
	flags.StringVar(&r.source, "source", ".", "the `folder` of the repository")
	flags.StringVar(&r.address, "address", "",
		"the `URL` that the files will be had from (default: the project's release of that version)")
	only := flags.String("only", "", "a comma-separated list of `platforms`, such as linux/amd64 (default: all)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !versionPattern.MatchString(r.version) || r.dir == "" || flags.NArg() > 0 {
		return errors.New("usage: release --version x.y.z --out DIR [--stamp SECONDS] [--source DIR] [--address URL] [--only os/arch,...]")
	}
	if r.address == "" {
		r.address = fmt.Sprintf(downloads, r.version)
	}
	var err error
	if r.dir, err = filepath.Abs(r.dir); err != nil {
		return err
	}
	if r.source, err = filepath.Abs(r.source); err != nil {
		return err
	}
	for _, p := range platforms {
		if *only == "" || strings.Contains(","+*only+",", ","+p.goos+"/"+p.goarch+",") {
			r.platforms = append(r.platforms, p)
		}
	}
	if len(r.platforms) == 0 {
		return fmt.Errorf("--only %s names no platform of a release", *only)
	}
	return r.make(ctx)
}

// platform is a platform that a release is made for.
type platform struct {
	goos, goarch string
	npmOS, npm   string // process.platform and process.arch of Node.js
	uname        string // the output of `uname -s` and `uname -m`, as shell patterns
}

var platforms = []platform{
	{"linux", "amd64", "linux", "x64", "Linux x86_64"},
	{"linux", "arm64", "linux", "arm64", "Linux aarch64"},
	{"darwin", "amd64", "darwin", "x64", "Darwin x86_64"},
	{"darwin", "arm64", "darwin", "arm64", "Darwin arm64"},
	{"windows", "amd64", "win32", "x64", "Windows x86_64"},
	{"windows", "arm64", "win32", "arm64", "Windows aarch64"},
}

// slug returns npm's name of the platform.
func (p platform) slug() string { return p.npmOS + "-" + p.npm }

func (p platform) isWindows() bool { return p.goos == "windows" }

// exe returns the suffix of a program's name.
func (p platform) exe() string {
	if p.isWindows() {
		return ".exe"
	}
	return ""
}
