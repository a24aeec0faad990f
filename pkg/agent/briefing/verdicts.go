package briefing

import (
	"sync"
	"time"
)

// verdicts holds what people judged of what rules kept, in all projects: a rule is the
// same everywhere. The memories' tags are what is stored; so a verdict that is undone
// counts no more.
type verdicts struct {
	mu     sync.Mutex
	judged map[string]judgement // by memory; nil until it is read
	readAt time.Time
}

// judgement is what was said of a memory. Rule is empty for one that no rule kept.
type judgement struct {
	rule      string
	confirmed bool
}
