package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/latency"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/private"
)

// keptFill is the file beside a kept store.
type keptFill struct {
	Memories int          `json:"memories"`
	Store    int          `json:"store"`
	Seed     uint64       `json:"seed"`
	Stated   bool         `json:"stated,omitempty"`
	Fill     latency.Fill `json:"fill"`
}

// fillOrReuse fills the home's store directly. With a folder to keep it in, a store that
// was kept there is copied instead, and else the filled store is kept there.
func (m *measurement) fillOrReuse(ctx context.Context) (latency.Fill, error) {
	data := paths.Layout{Home: m.home.Dir}.Data()
	if m.options.keep == "" {
		return m.fillDirectly(ctx)
	}
	store, file := filepath.Join(m.options.keep, "store"), filepath.Join(m.options.keep, "filled.json")
	kept := keptFill{Memories: m.options.memories, Store: m.options.store, Seed: m.options.seed, Stated: m.options.stated}
	content, err := os.ReadFile(file)
	if err == nil {
		was := kept
		if err := json.Unmarshal(content, &was); err != nil {
			return was.Fill, fmt.Errorf("read the store kept in %s, remove it to fill it again: %w", m.options.keep, err)
		}
		if was.Memories != kept.Memories || was.Store != kept.Store || was.Seed != kept.Seed || was.Stated != kept.Stated {
			return was.Fill, fmt.Errorf("the store kept in %s was filled with --memories %d --store %d --seed %d --stated=%t: give these, or another folder",
				m.options.keep, was.Memories, was.Store, was.Seed, was.Stated)
		}
		m.say("copying the store kept in %s", m.options.keep)
		if err := private.Make(m.home.Dir); err != nil {
			return was.Fill, err
		}
		return was.Fill, os.CopyFS(data, os.DirFS(store))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return latency.Fill{}, err
	}
	if kept.Fill, err = m.fillDirectly(ctx); err != nil {
		return kept.Fill, err
	}
	if err := os.CopyFS(store, os.DirFS(data)); err != nil {
		return kept.Fill, fmt.Errorf("keep the store in %s: %w", m.options.keep, err)
	}
	if content, err = json.MarshalIndent(kept, "", "  "); err == nil {
		err = os.WriteFile(file, append(content, '\n'), 0o600)
	}
	return kept.Fill, err
}
