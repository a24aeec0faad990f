package hooks

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// transcriptEnd returns the last most bytes of a transcript. A missing file is empty, because the client writes it
// late. The format is internal to the client and changes.
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

// textOf returns the text of a transcript's content, which is a string or a list of blocks.
func textOf(content hookio.Value) string {
	texts := []string{content.Text}
	for _, block := range content.Items {
		if block.String("type") == "text" {
			texts = append(texts, block.String("text"))
		}
	}
	return strings.TrimSpace(strings.Join(texts, "\n"))
}
