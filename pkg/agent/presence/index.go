package presence

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// indexed is a path that git's index has.
type indexed struct {
	path      string
	isSkipped bool // git does not check it out here, so it is not missing
}

// maxIndex is the most bytes of an index that is read: some 600,000 files.
const maxIndex = 64 << 20

// errIndex means that the paths of an index cannot be read, or not all of them.
var errIndex = errors.New("git's index cannot be read as a whole")

// eachIndexed visits the paths in git's index, in their order. It reads the versions 2 to 4
// of its format (gitformat-index). An index that is split, or has folders instead of their
// files, is an error after its entries.
func eachIndexed(file string, visit func(indexed)) error {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // not blocking: it may be a pipe
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxIndex {
		return errors.Join(err, errIndex)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxIndex))
	if err != nil {
		return fmt.Errorf("read git's index: %w", err)
	}
	const header = 12
	if len(data) < header || string(data[:4]) != "DIRC" {
		return errIndex
	}
	r := indexReader{data: data[header:], version: binary.BigEndian.Uint32(data[4:])}
	if r.version < 2 || r.version > 4 {
		return errIndex
	}
	for _, size := range []int{20, 32} { // of a hash: SHA-1 or SHA-256
		if r.hash = size; r.fits() {
			return r.each(binary.BigEndian.Uint32(data[8:]), visit)
		}
	}
	return errIndex
}

// indexReader reads the entries of an index.
type indexReader struct {
	data    []byte // that is left
	version uint32
	hash    int // bytes
	last    []byte
}

const (
	statBytes   = 40 // of an entry, before the hash
	modeAt      = 24
	nameBits    = 0xFFF
	extended    = 0x4000
	skipped     = 0x4000 // of the extended flags
	modeFolder  = 0o040000
	alignedTo   = 8
	extraHeader = 8 // of the blocks behind the entries: a name and a length
)

// fits reports whether the first entry has a hash of the given size: its flags have the length of
// its name.
func (r indexReader) fits() bool {
	if r.hash+extraHeader >= len(r.data) { // no entry at all
		return true
	}
	_, _, err := r.entry()
	return err == nil
}

func (r *indexReader) each(count uint32, visit func(indexed)) error {
	whole := true
	for range count {
		one, isFolder, err := r.entry()
		if err != nil {
			return err
		}
		if whole = whole && !isFolder; !isFolder {
			visit(one)
		}
	}
	for len(r.data) >= r.hash+extraHeader {
		size := binary.BigEndian.Uint32(r.data[4:])
		if string(r.data[:4]) == "link" { // the entries are those that differ from another file
			whole = false
		}
		if int64(size) > int64(len(r.data)-extraHeader) {
			return errIndex
		}
		r.data = r.data[extraHeader+size:]
	}
	if !whole {
		return errIndex
	}
	return nil
}

// entry reads the next entry.
func (r *indexReader) entry() (one indexed, isFolder bool, err error) {
	at := statBytes + r.hash + 2
	if len(r.data) < at+2 {
		return one, false, errIndex
	}
	mode, flags := binary.BigEndian.Uint32(r.data[modeAt:]), binary.BigEndian.Uint16(r.data[at-2:])
	if flags&extended != 0 {
		one.isSkipped = binary.BigEndian.Uint16(r.data[at:])&skipped != 0
		at += 2
	}
	keep := 0
	if r.version == 4 {
		strip, n := varint(r.data[at:])
		if n == 0 || strip > len(r.last) {
			return one, false, errIndex
		}
		keep, at = len(r.last)-strip, at+n
	}
	end := bytes.IndexByte(r.data[at:], 0)
	if end < 0 {
		return one, false, errIndex
	}
	name := append(r.last[:keep:keep], r.data[at:at+end]...)
	if length := int(flags & nameBits); len(name) == 0 || length != nameBits && length != len(name) {
		return one, false, errIndex
	}
	size := at + end + 1
	if r.version < 4 {
		size = (at + end + alignedTo) / alignedTo * alignedTo
	}
	if size > len(r.data) {
		return one, false, errIndex
	}
	r.data, r.last, one.path = r.data[size:], name, string(name)
	return one, mode == modeFolder, nil
}

// varint reads a number as git writes offsets, and how many bytes it has; 0: it is none.
func varint(data []byte) (value, n int) {
	const most = 5
	for i := 0; i < min(len(data), most); i++ {
		if i > 0 {
			value = (value + 1) << 7
		}
		value |= int(data[i] & 0x7F)
		if data[i]&0x80 == 0 {
			return value, i + 1
		}
	}
	return 0, 0
}
