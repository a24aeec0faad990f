package config

import "time"

// Embeddings says which endpoint finds memories by their embeddings as well. An empty
// URL means none.
type Embeddings struct {
	URL       string // of an OpenAI-compatible endpoint, without "/embeddings"
	Model     string
	Dimension int // of the model's vectors, 1 to 16384
	// KeyVariable names the environment variable of the agent that holds the key;
	// none is sent if that is empty.
	KeyVariable string
	// Wait is how long a query waits for its vector and the memories near it; later, the
	// words alone decide.
	Wait time.Duration
	// Similarity is the least cosine that is near, -1 to 1; it depends on the model.
	Similarity float64
}

func defaultEmbeddings() Embeddings {
	return Embeddings{KeyVariable: "MEMORY_EMBEDDINGS_KEY", Dimension: 384, Wait: 100 * time.Millisecond, Similarity: 0.37}
}
