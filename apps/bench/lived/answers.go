package lived

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
)

// answers is a model whose answers are recorded: DIR/SESSION/N.json is the one to the
// Nth question about SESSION. The question is written to N.txt beside it.
type answers struct {
	dir     string
	session string // that is asked about
	asked   int    // questions about it
	results []agentapi.DistillResult
}

// Ask implements distill.Model.
func (a *answers) Ask(_ context.Context, q distill.Question) (distill.Reply, error) {
	a.asked++
	file := filepath.Join(a.dir, a.session, fmt.Sprint(a.asked))
	if err := os.WriteFile(file+".txt", []byte(q.System+"\n\n"+q.Prompt), 0o600); err != nil {
		return distill.Reply{}, fmt.Errorf("write the question: %w", err)
	}
	text, err := os.ReadFile(file + ".json")
	if err != nil {
		return distill.Reply{}, fmt.Errorf("no answer is recorded: %w", err)
	}
	return distill.Reply{Text: text, Usage: distill.Usage{Reported: true}}, nil
}

// unlimited are the settings with no limit but that of a call, which decides what is
// asked.
func unlimited(c config.Distill) config.Distill {
	c.Enabled, c.SessionTokens, c.DayTokens = true, 1<<40, 1<<40
	return c
}

// distil has those sessions distilled of which answers are recorded.
func (h *home) distil(ctx context.Context, ended []importer.Transcript) error {
	if h.answers == nil {
		return nil
	}
	for _, t := range ended {
		if _, err := os.Stat(filepath.Join(h.answers.dir, t.Session)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		h.answers.session, h.answers.asked = t.Session, 0
		result, err := h.agent.Distiller.Distil(ctx, agentapi.DistillParams{Session: t.Session})
		if err != nil {
			return fmt.Errorf("distil %s: %w", t.Session, err)
		}
		h.answers.results = append(h.answers.results, result)
	}
	return nil
}

func (h *home) distilled() []agentapi.DistillResult {
	if h.answers == nil {
		return nil
	}
	return h.answers.results
}
