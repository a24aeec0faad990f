package dashboard

import (
	"slices"
	"strconv"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// spendDays is the number of days whose cost is shown, including today.
const spendDays = 30

// model is the data of the page about the model that distils sessions.
type model struct {
	Status     daemonapi.DistillStatus
	Days       []memory.SpendTotal // the cost of each day with a call; the latest first
	Sum        memory.SpendTotal   // sum of all these days
	Tag        string
	PeriodDays int
}

func (p *pages) model(v *visit) page {
	spent := ask(v, daemonapi.MethodSpend, spendDays)
	data := model{
		Status: spent.Status, Tag: memory.TagModel, PeriodDays: spendDays,
	}
	for _, t := range spent.Totals {
		sum := &data.Sum
		sum.Calls, sum.Input, sum.Output, sum.USD = sum.Calls+t.Calls, sum.Input+t.Input, sum.Output+t.Output, sum.USD+t.USD
	}
	slices.Reverse(spent.Totals)
	data.Days = spent.Totals
	return page{"model", "Model", data}
}

// switchModel saves the decision whether a model may be asked. The daemon reads it before each call.
func (p *pages) switchModel(v *visit) (done, run string) {
	on := v.PostFormValue("do") == "on"
	p.save(v, on || v.PostFormValue("do") == "off", config.DistillEnabled, strconv.FormatBool(on))
	if on {
		return "modelOn", ""
	}
	return "modelOff", ""
}
