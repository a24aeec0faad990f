package briefing_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/agenttest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/memstore"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/models"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// topics are the dimensions of the vectors that endpoint gives: a word of a topic
// points into its direction, whatever the word.
var topics = [][]string{
	{"postal", "zip", "postcode"}, {"labels", "stickers", "print"}, {"ledger", "bookkeeping", "accounts"}, {"sky", "weather"},
}

// endpoint is a local server in the form of OpenAI's, with deterministic vectors.
type endpoint struct {
	*httptest.Server
	mu    sync.Mutex
	asked [][]string
	fails atomic.Bool
	stall atomic.Pointer[chan struct{}] // answers when it is closed
}

func newEndpoint(t *testing.T) *endpoint {
	t.Helper()
	e := &endpoint{}
	e.Server = httptest.NewServer(http.HandlerFunc(e.answer))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) answer(w http.ResponseWriter, r *http.Request) {
	var question struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&question); err != nil || e.fails.Load() {
		http.Error(w, "out of order", http.StatusServiceUnavailable)
		return
	}
	e.mu.Lock()
	e.asked = append(e.asked, question.Input)
	e.mu.Unlock()
	if gate := e.stall.Load(); gate != nil {
		select {
		case <-*gate:
		case <-r.Context().Done():
		}
	}
	var data []map[string]any
	for i, text := range question.Input {
		data = append(data, map[string]any{"index": i, "embedding": vectorOf(text)})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
}

func vectorOf(text string) []float32 {
	vector := make([]float32, len(topics)+1)
	vector[len(topics)] = 0.1 // no topic at all has a direction as well
	for i, words := range topics {
		for _, word := range words {
			if strings.Contains(strings.ToLower(text), word) {
				vector[i]++
			}
		}
	}
	return vector
}

func (e *endpoint) batches() [][]string {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := e.asked
	e.asked = nil
	return all
}

// withEmbeddings is an agent that has embeddings, on a moving clock.
func withEmbeddings(t *testing.T) (*agenttest.Fixture, *endpoint, *time.Time) {
	t.Helper()
	a, store, _ := agenttest.New(t)
	e := newEndpoint(t)
	client, err := models.NewEmbedder(e.URL, "topics", len(topics)+1, "")
	if err != nil {
		t.Fatal(err)
	}
	now := agenttest.Noon
	a.Now = func() time.Time { return now }
	a.Config.Embeddings.Wait = 10 * time.Second
	a.Embedder, a.Vectors = client, memstore.NewVectors(store.Store.(*memstore.Store))
	a.Rebuild()
	agenttest.Kept(t, a, agenttest.Noted(1, "postcode became optional in the contract for Ireland"))
	agenttest.Kept(t, a, agenttest.Noted(2, "stickers come from Hamburg"))
	agenttest.Put(t, a.Spools[0], agenttest.Edit(3, "s1", "server.go"))
	agenttest.Found(t, a, agentapi.FindParams{Text: "load"}) // the index
	e.batches()
	return a, e, &now
}

const byEmbedding = "Irish addresses have no zip"

func TestMemoriesAreFoundByTheirEmbedding(t *testing.T) {
	a, e, _ := withEmbeddings(t)
	found := func(text string) []string {
		return agenttest.Found(t, a, agentapi.FindParams{Session: "s2", Text: text})
	}
	if got := found(byEmbedding); len(got) > 0 || len(e.batches()) > 0 {
		t.Errorf("before anything is embedded: %q", got)
	}
	a.Briefing.Embed(t.Context())
	if asked := e.batches(); len(asked) != 1 || len(asked[0]) != 2 {
		t.Errorf("embedded %q, want both notes in one batch and not the edit", asked)
	}
	if held := a.Briefing.VectorCount(); held != 2 {
		t.Errorf("%d vectors are held, want 2", held)
	}
	a.Briefing.Embed(t.Context())
	if asked := e.batches(); len(asked) > 0 {
		t.Errorf("embedded again: %q", asked)
	}
	if got := found(byEmbedding); len(got) != 1 || !strings.Contains(got[0], "postcode") {
		t.Errorf("found %q", got)
	}
	if asked := e.batches(); len(asked) != 1 || asked[0][0] != byEmbedding {
		t.Errorf("asked %q", asked)
	}
	if got := found("ok"); len(got) > 0 {
		t.Errorf("for one word: %q", got)
	}
	// A prompt is not sent to the endpoint: its memories are found by their words.
	agenttest.Recalled(t, a, agentapi.RecallParams{Session: "s3", Purpose: agentapi.ForPrompt, Text: byEmbedding})
	if asked := e.batches(); len(asked) > 0 {
		t.Errorf("for a prompt, asked %q", asked)
	}
}

// Vectors outlive the agent, and memories stored later are embedded later.
func TestOnlyMissingVectorsAreEmbedded(t *testing.T) {
	a, e, _ := withEmbeddings(t)
	a.Briefing.Embed(t.Context())
	e.batches()
	next := agenttest.Restarted(a)
	for i := range 70 {
		agenttest.Put(t, next.Spools[0], agenttest.Noted(100+i, fmt.Sprintf("ledger line %d", i)))
	}
	if _, err := next.Intake.Ingest(t.Context()); err != nil {
		t.Fatal(err)
	}
	agenttest.Found(t, next, agentapi.FindParams{Text: "load"})
	e.batches()
	next.Briefing.Embed(t.Context())
	if asked := e.batches(); len(asked) != 2 || len(asked[0])+len(asked[1]) != 70 {
		t.Errorf("embedded %d batches", len(asked))
	}
	if got := agenttest.Found(t, next, agentapi.FindParams{Text: "where is our bookkeeping archive"}); len(got) != 10 || !strings.Contains(got[0], "ledger") {
		t.Errorf("found %q", got)
	}
}

// An endpoint that is late or fails costs the words nothing.
func TestWordsAloneDecideWithoutAVector(t *testing.T) {
	a, e, now := withEmbeddings(t)
	agenttest.Kept(t, a, agenttest.Noted(5, "the staging database listens on port 6543"))
	a.Briefing.Embed(t.Context())
	e.batches()
	found := func(text string) string { return fmt.Sprint(agenttest.Found(t, a, agentapi.FindParams{Text: text})) }
	const words = "which port does the staging database listen on?"

	gate := make(chan struct{})
	e.stall.Store(&gate)
	a.Briefing.Embeddings.Wait = 5 * time.Millisecond
	if text := found(words); !strings.Contains(text, "6543") {
		t.Errorf("with a late vector: %q", text)
	}
	close(gate)
	e.stall.Store(nil)
	a.Briefing.Embeddings.Wait = 10 * time.Second
	e.batches()

	e.fails.Store(true)
	if text := found(words); !strings.Contains(text, "6543") {
		t.Errorf("with an endpoint out of order: %q", text)
	}
	e.fails.Store(false)
	if text := found(words); !strings.Contains(text, "6543") || len(e.batches()) > 0 {
		t.Errorf("an endpoint that failed is asked again at once")
	}
	a.Briefing.Embed(t.Context()) // leaves it alone as well
	*now = now.Add(time.Minute)
	if text := found(byEmbedding); !strings.Contains(text, "postcode") {
		t.Errorf("after a minute: %q", text)
	}
}

func TestWithoutEmbeddingsNothingIsAsked(t *testing.T) {
	a, _, _ := agenttest.New(t)
	a.Briefing.Embed(t.Context())
	agenttest.Kept(t, a, agenttest.Noted(1, "postcode became optional"))
	if got := agenttest.Found(t, a, agentapi.FindParams{Text: "Irish zips"}); len(got) > 0 {
		t.Errorf("found %q", got)
	}
}

// BenchmarkNear compares a query with 10,000 vectors of 384 numbers.
func BenchmarkNear(b *testing.B) {
	const n, dimension = 10_000, 384
	random := rand.New(rand.NewPCG(1, 1))
	vector := func() []float32 {
		v := make([]float32, dimension)
		for i := range v {
			v[i] = random.Float32() - 0.5
		}
		return v
	}
	var all []memory.Vector
	for i := range n {
		all = append(all, memory.Vector{Memory: fmt.Sprint(i), Values: vector()})
	}
	near := nearOf(all)
	query := vector()
	for b.Loop() {
		near(query, 5)
	}
}

// nearOf compares with vectors as the agent does.
func nearOf(vectors []memory.Vector) func(query []float32, least float64) []memory.Near {
	set := &recall.Vectors{}
	set.Add(vectors)
	return set.Near
}
