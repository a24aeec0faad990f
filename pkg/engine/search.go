package engine

import (
	"context"
)

// search looks for engines, each once.
type search struct {
	ctx        context.Context
	options    Options
	known      string // path of the binary that made the data
	passedOver []string
	found      []Choice
}
