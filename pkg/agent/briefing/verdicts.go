package briefing

import (
	"sync"
	"time"
)

// verdicts holds people's verdicts on the memories that rules kept, in all projects: a
// rule is the same everywhere. They are stored as tags of the memories; so a verdict that
// is undone counts no more.
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
