package engine

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// An engine that hangs does not end, so it would never be restarted: it is pinged, and
// ended when it does not answer several times in a row. From the moment in which it
// stops until the next one is up it takes less than 30 s, stopLimit included.
var (
	healthPause = 5 * time.Second // between two questions
	healthLimit = 4 * time.Second // for the answer
)

const healthMisses = 3

// watch ends the child when it hangs, until ctx ends or the child does.
func (s *Supervisor) watch(ctx context.Context, c *child, url string) {
	transport := &http.Transport{DisableKeepAlives: true}
	client := &http.Client{Transport: transport, Timeout: healthLimit}
	health := strings.Replace(url, "ws://", "http://", 1) + "/health"
	ticker := time.NewTicker(healthPause)
	defer ticker.Stop()
	for misses := 0; misses < healthMisses; {
		select {
		case <-ctx.Done():
			return
		case <-c.ended:
			return
		case <-ticker.C:
		}
		if isHealthy(ctx, client, health) {
			misses = 0
		} else {
			misses++
		}
	}
	if ctx.Err() == nil {
		s.options.Log.Warn("the engine hangs and is ended", "pid", c.pid)
		c.cancel()
	}
}
