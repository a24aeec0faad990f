package hooks

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// transcriptEnd is the end of a transcript, at most so many bytes; one that is not there, as
// the client writes it late, is empty. Its format is internal to the client and changes.
func transcriptEnd(file string, most int64) ([]byte, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-most), most))
}

// textOf is a content in a transcript, which is a text or blocks of it.
func textOf(content hookio.Value) string {
	texts := []string{content.Text}
	for _, block := range content.Items {
		if block.String("type") == "text" {
			texts = append(texts, block.String("text"))
		}
	}
	return strings.TrimSpace(strings.Join(texts, "\n"))
}
