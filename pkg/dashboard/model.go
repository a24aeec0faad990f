package dashboard

import (
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	spendDays      = 30 // the days whose cost is shown, today included
	shownWritten   = 12 // memories that the model wrote
	offeredToAsk   = 20 // sessions whose questions can be shown
	estimatedCount = 20 // sessions of an estimate
)

// model is the data of the page about the model that distils sessions.
type model struct {
	Status     agentapi.DistillStatus
	CanSwitch  bool
	Days       []spendDay // the latest first, those without a call left out
	Sum        spendDay   // of all these days
	Plot       plot
	Written    []memory.Memory
	MoreFacts  int
	Tag        string
	Sessions   []listedSession           // to show the questions of
	Estimate   *agentapi.DistillEstimate // nil: not asked for
	Estimated  int                       // sessions that the link to an estimate names
	PeriodDays int
}

// spendDay is the cost of one day, over all jobs.
type spendDay struct {
	Day                                   string // 2006-01-02
	Calls, Failed, Unknown, Input, Output int
	USD                                   float64
}

// Tokens is input and output together.
func (d spendDay) Tokens() int { return d.Input + d.Output }

func (d *spendDay) add(t memory.SpendTotal) {
	d.Calls += t.Calls
	d.Failed += t.Failed
	d.Unknown += t.Estimated
	d.Input += t.Input
	d.Output += t.Output
	d.USD += t.USD
}

func (p *pages) model(v *visit) page {
	spent := ask(v, agentapi.MethodSpend, agentapi.SpendParams{Days: spendDays})
	byModel := agentapi.ListParams{Project: v.project, Tag: memory.TagModel, Limit: shownWritten}
	written := ask(v, agentapi.MethodList, byModel)
	data := model{
		Status: spent.Status, CanSwitch: p.SwitchModel != nil,
		Written: written.Memories, MoreFacts: written.Left, Tag: memory.TagModel,
		Sessions: p.listed(v, offeredToAsk), Estimated: estimatedCount, PeriodDays: spendDays,
	}
	data.Days, data.Sum = spendByDay(spent.Totals)
	data.Plot = spendPlot(data.Days, p.Now())
	if v.URL.Query().Has("estimate") {
		estimate := ask(v, agentapi.MethodDistillEstimate, agentapi.DistillEstimateParams{Sessions: estimatedCount})
		data.Estimate = &estimate
	}
	return page{"model", "Model", data}
}

// spendByDay sums up the jobs of each day, the latest day first.
func spendByDay(totals []memory.SpendTotal) (days []spendDay, sum spendDay) {
	for _, t := range totals {
		at := slices.IndexFunc(days, func(d spendDay) bool { return d.Day == t.Day })
		if at < 0 {
			at, days = len(days), append(days, spendDay{Day: t.Day})
		}
		days[at].add(t)
		sum.add(t)
	}
	slices.SortFunc(days, func(x, y spendDay) int { return strings.Compare(y.Day, x.Day) })
	return days, sum
}

// spendPlot has a bar for each day of the period, also for those without a call, so that gaps are seen.
func spendPlot(days []spendDay, now time.Time) plot {
	if len(days) == 0 {
		return plot{}
	}
	var at, tokens []float64
	for back := spendDays - 1; back >= 0; back-- {
		date := now.UTC().AddDate(0, 0, -back).Truncate(24 * time.Hour)
		sum := 0
		for _, day := range days {
			if day.Day == date.Format(time.DateOnly) {
				sum = day.Tokens()
			}
		}
		at, tokens = append(at, float64(date.Unix())), append(tokens, float64(sum))
	}
	return plot{
		Title: "Tokens by day", Across: "day (UTC)", Kind: "bars", Dates: true,
		Lines: []string{"tokens"}, Values: [][]float64{at, tokens},
	}
}

// switchModel writes the decision whether a model may be asked. The agent reads it before each call, so the answer is
// what is in force: the environment takes precedence over the settings file.
func (p *pages) switchModel(v *visit) (done, run string) {
	on := v.PostFormValue("do") == "on"
	if p.SwitchModel == nil || !on && v.PostFormValue("do") != "off" {
		v.err = memory.ErrInvalid
		return "", ""
	}
	if v.err = p.SwitchModel(on); v.err != nil {
		return "", ""
	}
	switch state := ask(v, agentapi.MethodSwitchDistill, agentapi.None{}); {
	case state.Enabled != on:
		return "modelFixed", ""
	case on:
		return "modelOn", ""
	}
	return "modelOff", ""
}

// questions is the data of the page with the words that a model would be sent about one session.
type questions struct {
	agentapi.DistillResult
	Session       listedSession
	Asked, Tokens int // calls that would be made, and their input
}

func (p *pages) questions(v *visit) page {
	id := v.URL.Query().Get("session")
	data := questions{DistillResult: ask(v, agentapi.MethodDistill, agentapi.DistillParams{Session: id, DryRun: true})}
	record := ask(v, agentapi.MethodSession, data.DistillResult.Session)
	data.Session = listedSession{Session: record.Session, First: saidFirst(record.Session)}
	if data.Session.First == "" {
		data.Session.First = firstPrompt(record)
	}
	for _, call := range data.Calls {
		if !call.Skipped {
			data.Asked++
			data.Tokens += call.Tokens
		}
	}
	return page{"questions", "The exact text for a model", data}
}
