package process

import "bytes"

// Head keeps the beginning of a program's output. The program can always write on.
type Head struct {
	Text   bytes.Buffer // a field, not embedded, because Buffer.ReadFrom has no limit
	Most   int          // number of bytes to keep
	Full   func()       // is called once, when there are more; may be nil
	IsFull bool
}

func (h *Head) Write(p []byte) (int, error) {
	kept := p[:min(len(p), h.Most-h.Text.Len())]
	h.Text.Write(kept)
	if len(kept) < len(p) && !h.IsFull {
		h.IsFull = true
		if h.Full != nil {
			h.Full()
		}
	}
	return len(p), nil
}
