package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// largest is the maximum size of a platform's programs to download, in bytes: a client gives npm one minute.
const largest = 25_000_000

// release is a release that is being made.
type release struct {
	version, stamp string
	source, dir    string
	address        string // address of the release's files
	platforms      []platform

	licences   []byte
	components map[string]component // entries of the bill of materials, by address
	assets     tree                 // files of the release, in order
	packages   []npmPackage
	pinned     []pin
}

// pin is the file that a plugin without programs may download for a platform.
type pin struct {
	platform
	file, sha256 string
	size         int
}

// make makes the release in a temporary folder, which then replaces the previous release.
func (r *release) make(ctx context.Context) error {
	var err error
	if r.licences, err = r.readLicences(ctx); err != nil {
		return err
	}
	plain, err := r.plugin(ctx)
	if err != nil {
		return err
	}
	complete, err := r.withEngine(ctx, plain)
	if err != nil {
		return err
	}
	if err := r.addPlatforms(ctx, complete); err != nil {
		return err
	}
	if err := r.addWrapper(); err != nil {
		return err
	}
	bill, err := r.bill()
	if err != nil {
		return err
	}
	r.asset("sbom.cdx.json", bill)
	r.asset("THIRD_PARTY_LICENSES", r.licences)
	r.asset(command+".rb", r.formula())
	manifest, err := r.scoop()
	if err != nil {
		return err
	}
	r.asset(command+".json", manifest)
	r.asset("checksums.txt", sums(r.assets))
	marketplace, err := r.marketplace(plain)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(r.dir); err != nil {
		return err
	}
	if err := r.assets.write(r.dir); err != nil {
		return err
	}
	return marketplace.write(filepath.Join(r.dir, "marketplace"))
}

func (r *release) asset(name string, content []byte) {
	r.assets = append(r.assets, file{name: name, content: content})
}

// packing is the result of packing one platform's files.
type packing struct {
	platform
	archive, packed, bundle []byte
	err                     error
}

// addPlatforms builds each platform's programs, and packs them while the next platform's programs are built.
func (r *release) addPlatforms(ctx context.Context, plain tree) error {
	all := make([]packing, len(r.platforms))
	var packers sync.WaitGroup
	defer packers.Wait()
	for i, p := range r.platforms {
		_, _ = fmt.Fprintf(os.Stderr, "%s: building, %d of %d\n", p.slug(), i+1, len(r.platforms))
		t, err := r.forPlatform(ctx, plain, p)
		if err != nil {
			return err
		}
		packers.Go(func() {
			all[i] = r.pack(ctx, t, p)
			_, _ = fmt.Fprintf(os.Stderr, "%s: archive %d, npm package %d, bundle %d bytes\n", p.slug(),
				len(all[i].archive), len(all[i].packed), len(all[i].bundle))
		})
	}
	packers.Wait()
	for _, one := range all {
		if err := r.add(one); err != nil {
			return err
		}
	}
	return nil
}

// pack makes the archive, the npm package and the bundle of one platform.
func (r *release) pack(ctx context.Context, t tree, p platform) packing {
	packed := packing{platform: p}
	for _, step := range []func() error{
		func() (err error) { packed.archive, err = r.archive(t, p); return err },
		func() (err error) { packed.packed, err = r.packed(t, p); return err },
		func() (err error) { packed.bundle, err = t.bundle(ctx); return err },
	} {
		if packed.err = step(); packed.err != nil {
			return packed
		}
	}
	return packed
}

func (r *release) add(one packing) error {
	if one.err != nil {
		return fmt.Errorf("pack for %s: %w", one.slug(), one.err)
	}
	for what, content := range map[string][]byte{"archive": one.archive, "npm package": one.packed, "bundle": one.bundle} {
		if len(content) > largest {
			return fmt.Errorf("the %s for %s has %d bytes, the most is %d", what, one.slug(), len(content), largest)
		}
	}
	name := fmt.Sprintf("%s_%s_%s_%s", command, r.version, one.goos, one.goarch)
	r.addPackage(one.platform, one.packed)
	r.asset(name+one.archiveSuffix(), one.archive)
	r.asset(name+".bundle", one.bundle)
	r.pinned = append(r.pinned, pin{one.platform, name + ".bundle", sha256Of(one.bundle), len(one.bundle)})
	return nil
}

func (p platform) archiveSuffix() string {
	if p.isWindows() {
		return ".zip"
	}
	return ".tar.gz"
}

// archive returns a marketplace with the whole plugin: a user unpacks it, and adds the folder to the client.
func (r *release) archive(t tree, p platform) ([]byte, error) {
	root := command + "-" + r.version
	index, err := os.ReadFile(filepath.Join(r.source, ".claude-plugin", "marketplace.json"))
	if err != nil {
		return nil, err
	}
	whole := append(t.under(root+"/plugin"), file{name: root + "/.claude-plugin/marketplace.json", content: index})
	if p.isWindows() {
		return whole.zip()
	}
	return whole.tgz()
}

// pins are the files of a marketplace's plugin that name the programs to download.
var pins = []string{"programs.txt", "package.json", "package-lock.json"}

// marketplace returns the marketplace that users add to their client: the plugin without programs, with the list of
// its programs.
func (r *release) marketplace(plain tree) (tree, error) {
	whole := plain.under("plugin")
	index, err := os.ReadFile(filepath.Join(r.source, ".claude-plugin", "marketplace.json"))
	if err != nil {
		return nil, err
	}
	whole = append(whole, file{name: ".claude-plugin/marketplace.json", content: index})
	programs := fmt.Appendf(nil, "version %s\naddress %s\n", r.version, r.address)
	for _, one := range r.pinned {
		programs = fmt.Appendf(programs, "%s %s %s %d %s\n", one.uname, one.file, one.sha256, one.size, one.slug())
	}
	manifest, lock, err := r.npmPins()
	if err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{"programs.txt": programs, "package.json": manifest, "package-lock.json": lock} {
		whole = append(whole, file{name: "plugin/" + name, content: content})
	}
	return whole, nil
}
