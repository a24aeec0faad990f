package answers

import (
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
)

// Handlers answer the methods that this package has. They need the store.
func (a *Answers) Handlers() []agentapi.Handler {
	return slices.Concat(a.finding(), a.listing(), a.explaining(), []agentapi.Handler{
		agentapi.MethodRivals.Handle(a.Rivals),
		agentapi.MethodAnswer.Handle(a.Answer),
		agentapi.MethodPrompts.Handle(a.Prompts),
	})
}
