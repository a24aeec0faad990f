package briefing

import lru "github.com/hashicorp/golang-lru/v2"

// bounded makes an LRU cache.
func bounded[K comparable, V any](size int) *lru.Cache[K, V] {
	cache, err := lru.New[K, V](size)
	if err != nil { // only for a size below one
		panic(err)
	}
	return cache
}
