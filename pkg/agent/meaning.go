package agent

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// Embedder makes vectors of length 1 of texts.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

const (
	// embedBatch texts are asked for at once, of at most embedBytes each: models
	// look at no more than some hundred words.
	embedBatch = 64
	embedBytes = 2000
	// embedTime bounds one batch, and embedPause is how long an endpoint that
	// failed is left alone: queries must not wait for it each time.
	embedTime  = 30 * time.Second
	embedPause = time.Minute
	// The share of the time left until a caller's deadline that its vector may take:
	// what the words find is to be told in the rest.
	nearShare = 0.6
)

// meanings holds the vectors of the projects whose indexes are loaded.
type meanings struct {
	running sync.Mutex // held while memories are embedded

	mu       sync.Mutex
	prepared bool
	sets     map[string]*recall.Vectors
	paused   time.Time // until then the endpoint is left alone
}

// near is what lies near a text by its meaning, the nearest first: nothing if
// embeddings are off, if the endpoint failed lately, or if it is not known in time.
func (a *Agent) near(ctx context.Context, project, text string) []recall.Near {
	if a.Embedder == nil || !recall.HasMeaning(text) {
		return nil
	}
	set := a.meanings.set(project, a.Now())
	if set == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, a.nearTime(ctx))
	defer cancel()
	found, err := a.findNear(ctx, set, project, text)
	if err != nil {
		if ctx.Err() == nil { // an endpoint that is only slow may be fast the next time
			a.pauseEmbedding(err)
		}
		return nil
	}
	return recall.NearAtLeast(a.Config.Embeddings.Similarity, found)
}

// nearTime is how long a query waits for its vector.
func (a *Agent) nearTime(ctx context.Context) time.Duration {
	wait := a.Config.Embeddings.Wait
	if deadline, bounded := ctx.Deadline(); bounded {
		wait = min(wait, time.Duration(nearShare*float64(time.Until(deadline))))
	}
	return wait
}

func (a *Agent) findNear(ctx context.Context, set *recall.Vectors, project, text string) ([]memory.Near, error) {
	vectors, err := a.Embedder.Embed(ctx, []string{memory.Cut(text, embedBytes)})
	if err != nil {
		return nil, err
	}
	least := a.Config.Embeddings.Similarity
	if a.Config.Embeddings.Index == config.VectorsHNSW {
		return a.Vectors.Near(ctx, memory.NearQuery{Project: project, Values: vectors[0], Limit: recall.NearLimit, Least: least})
	}
	return set.Near(vectors[0], least), nil
}

func (a *Agent) pauseEmbedding(err error) {
	a.meanings.mu.Lock()
	defer a.meanings.mu.Unlock()
	a.meanings.paused = a.Now().Add(embedPause)
	a.Log.Warn("embeddings cannot be had; words alone decide", "error", err, "next try in", embedPause)
}

// set returns the vectors of a project, or nil if they are not loaded or not to be
// used now.
func (m *meanings) set(project string, now time.Time) *recall.Vectors {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now.Before(m.paused) {
		return nil
	}
	return m.sets[project]
}

// embed makes the vectors that are missing of the projects whose indexes are
// loaded. What is still missing when the endpoint fails waits for the next time. One
// runs at a time; another returns at once.
func (a *Agent) embed(ctx context.Context) {
	if a.Embedder == nil || !a.meanings.running.TryLock() {
		return
	}
	defer a.meanings.running.Unlock()
	a.meanings.mu.Lock()
	paused := a.Now().Before(a.meanings.paused)
	a.meanings.mu.Unlock()
	if paused {
		return
	}
	if err := a.embedAll(ctx); err != nil && ctx.Err() == nil {
		a.pauseEmbedding(err)
	}
}

func (a *Agent) embedAll(ctx context.Context) error {
	if err := a.prepareVectors(ctx); err != nil {
		return err
	}
	loaded := a.indexes.all()
	a.meanings.keep(loaded)
	for project, entry := range loaded {
		index := entry.held()
		if index == nil {
			continue
		}
		set, err := a.vectorSet(ctx, project)
		if err != nil {
			return err
		}
		if err := a.embedMissing(ctx, set, index); err != nil {
			return err
		}
	}
	return nil
}

func (a *Agent) prepareVectors(ctx context.Context) error {
	a.meanings.mu.Lock()
	prepared := a.meanings.prepared
	a.meanings.mu.Unlock()
	if prepared {
		return nil
	}
	if err := a.Vectors.Prepare(ctx); err != nil {
		return err
	}
	a.meanings.mu.Lock()
	defer a.meanings.mu.Unlock()
	a.meanings.prepared = true
	return nil
}

// keep drops the vectors of projects that are not loaded any more.
func (m *meanings) keep(loaded map[string]*projectIndex) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for project := range m.sets {
		if loaded[project] == nil {
			delete(m.sets, project)
		}
	}
}

// count is how many vectors are held; one of the user's is held for each project.
func (m *meanings) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, set := range m.sets {
		n += set.Len()
	}
	return n
}

// vectorSet returns the vectors of a project, and reads them first if need be.
func (a *Agent) vectorSet(ctx context.Context, project string) (*recall.Vectors, error) {
	a.meanings.mu.Lock()
	set := a.meanings.sets[project]
	a.meanings.mu.Unlock()
	if set != nil {
		return set, nil
	}
	stored, err := a.Vectors.Vectors(ctx, project)
	if err != nil {
		return nil, err
	}
	set = &recall.Vectors{}
	set.Add(stored)
	a.meanings.mu.Lock()
	defer a.meanings.mu.Unlock()
	if a.meanings.sets == nil {
		a.meanings.sets = map[string]*recall.Vectors{}
	}
	a.meanings.sets[project] = set
	return set, nil
}

// embedMissing embeds what has words to be found by. Edits and commands have not:
// they are found by their files.
func (a *Agent) embedMissing(ctx context.Context, set *recall.Vectors, index *recall.Index) error {
	var missing []memory.Memory
	for _, m := range index.Memories() {
		if m.Kind.Searchable() && !set.Has(m.ID) {
			missing = append(missing, m)
		}
	}
	for batch := range slices.Chunk(missing, embedBatch) {
		if err := a.embedOne(ctx, set, batch); err != nil {
			return err
		}
	}
	return nil
}

func (a *Agent) embedOne(ctx context.Context, set *recall.Vectors, batch []memory.Memory) error {
	ctx, cancel := context.WithTimeout(ctx, embedTime)
	defer cancel()
	texts := make([]string, len(batch))
	for i, m := range batch {
		texts[i] = memory.Cut(m.Content, embedBytes)
	}
	values, err := a.Embedder.Embed(ctx, texts)
	if err != nil {
		return err
	}
	vectors := make([]memory.Vector, len(batch))
	for i, m := range batch {
		vectors[i] = memory.Vector{Memory: m.ID, Values: values[i]}
	}
	if err := a.Vectors.PutVectors(ctx, vectors); err != nil {
		return err
	}
	set.Add(vectors)
	return nil
}
