package briefing

import (
	"sync"
	"time"
)

// verdicts caches people's verdicts on the memories that rules extracted, over all projects: a
// rule is the same everywhere. Verdicts are stored as tags of the memories, so one that is undone
// no longer counts.
type verdicts struct {
	mu     sync.Mutex
	judged map[string]judgement // by memory; nil until it is read
	readAt time.Time
}

// judgement is the verdict on a memory. Rule is empty for one that no rule kept.
type judgement struct {
	rule      string
	confirmed bool
}
