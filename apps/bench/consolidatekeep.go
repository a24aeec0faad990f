package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens/bpe"
)

// keptStore is a settled store in a folder, so that it can be measured again without the
// minutes that filling and settling take.
type keptStore struct{ dir string }

// suffix tells a kept store of a few forms from others.
func suffix(isAlike bool) string {
	if isAlike {
		return "-alike"
	}
	return ""
}

func (k keptStore) data() string { return filepath.Join(k.dir, "store") }

func (k keptStore) file() string { return filepath.Join(k.dir, "settled.json") }

// settled is the file beside the kept store.
type settled struct {
	Until time.Time `json:"until"`
	maintenanceStore
}

// prepare makes the store, unless it is there, and has the measurement go on from
// it.
func (k keptStore) prepare(ctx context.Context, m *measuring) error {
	content, err := os.ReadFile(k.file())
	if errors.Is(err, fs.ErrNotExist) {
		return k.make(ctx, m)
	}
	var was settled
	if err == nil {
		err = json.Unmarshal(content, &was)
	}
	if err != nil {
		return fmt.Errorf("read the store kept in %s, remove it to rebuild it: %w", k.dir, err)
	}
	m.maintenanceStore, m.until = was.maintenanceStore, was.Until
	m.say("store of %s, settled for %s", k.dir, was.Until.Format(time.RFC3339))
	counter, err := bpe.New(config.Default().Tokens.Encoding)
	if err != nil {
		return err
	}
	m.life = newLife(m.seed, m.Projects, counter, m.until)
	m.life.isAlike = m.isAlike
	return m.life.fill(ctx, nowhere{}, m.Memories)
}

func (k keptStore) make(ctx context.Context, m *measuring) error {
	err := m.onTestbed(ctx, "", func(bed *testbed) error {
		if err := m.settle(ctx, bed); err != nil {
			return err
		}
		if err := bed.stop(ctx); err != nil {
			return err
		}
		return os.CopyFS(k.data(), os.DirFS(bed.dir))
	})
	if err != nil {
		return err
	}
	content, err := json.MarshalIndent(settled{Until: m.until, maintenanceStore: m.maintenanceStore}, "", "  ")
	if err == nil {
		err = os.WriteFile(k.file(), content, 0o600)
	}
	if err != nil {
		return fmt.Errorf("keep the store in %s: %w", k.dir, err)
	}
	return nil
}

// nowhere is a sink for the replay of a life whose memories are stored already.
type nowhere struct{}

func (nowhere) Ingest(context.Context, memory.Batch) error { return nil }
