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

// embeddingsSettings is the part of the register about embeddings.
var embeddingsSettings = []setting{
	{"embeddings.url", "MEMORY_EMBEDDINGS_URL", text(func(c *Config) *string { return &c.Embeddings.URL })},
	{"embeddings.model", "MEMORY_EMBEDDINGS_MODEL", text(func(c *Config) *string { return &c.Embeddings.Model })},
	{"embeddings.dimension", "MEMORY_EMBEDDINGS_DIMENSION", integer{1, 16_384, func(c *Config) *int { return &c.Embeddings.Dimension }}},
	{"embeddings.key_variable", "MEMORY_EMBEDDINGS_KEY_VARIABLE", text(func(c *Config) *string { return &c.Embeddings.KeyVariable })},
	{"embeddings.wait", "MEMORY_EMBEDDINGS_WAIT", deadline(func(c *Config) *time.Duration { return &c.Embeddings.Wait })},
	{"embeddings.similarity", "MEMORY_EMBEDDINGS_SIMILARITY", number{-1, 1, func(c *Config) *float64 { return &c.Embeddings.Similarity }}},
}
