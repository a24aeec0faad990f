package answers

import (
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Handlers returns the handlers of this package's methods. They need the store.
func (a *Answers) Handlers() []daemonapi.Handler {
	return slices.Concat(a.finding(), a.listing(), a.explaining(), []daemonapi.Handler{
		daemonapi.MethodRivals.Handle(a.Rivals),
		daemonapi.MethodAnswer.Handle(a.Answer),
		daemonapi.MethodPrompts.Handle(a.Prompts),
	})
}
