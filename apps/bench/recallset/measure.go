package recallset

import (
	"slices"
)

// Answer is recall's answer to one query: memory ids, best first.
type Answer struct {
	IDs      []string
	AsPrompt bool // whether the query's text, as a prompt, gets a memory, too
}

// Measures are means from 0 to 1 over the queries with evidence.
type Measures struct {
	Queries  int
	Recall1  float64 // share of the evidence in the first hit
	Recall5  float64
	Recall10 float64
	Hit5     float64
	MRR      float64 // 1 / rank of the first evidence
}

// Report has the measures of one or more sets.
type Report struct {
	Memory  Measures
	Session Measures
	// Found counts the queries with evidence in the first five hits. Injected counts those of them for which a
	// memory is injected when the query is typed as a prompt.
	Found    int
	Injected int
	// Unrelated counts the queries without evidence. Answered counts those of them for which something is
	// injected when the query is typed as a prompt.
	Unrelated int
	Answered  int
}

// looked is the number of first hits that are examined for Report.Found.
const looked = 5

// Tally sums the measures of answers.
type Tally struct {
	memory, session Measures
	report          Report
}

// Add adds the answer to one query. It ranks the sessions of an answer by their first memory.
func (t *Tally) Add(sessions map[string]string, q Query, a Answer) {
	if len(q.Evidence) == 0 {
		t.report.Unrelated++
		if a.AsPrompt {
			t.report.Answered++
		}
		return
	}
	if slices.ContainsFunc(a.IDs[:min(looked, len(a.IDs))], func(id string) bool { return slices.Contains(q.Evidence, id) }) {
		t.report.Found++
		if a.AsPrompt {
			t.report.Injected++
		}
	}
	t.memory.add(unique(q.Evidence), a.IDs)
	t.session.add(unique(lookUp(sessions, q.Evidence)), unique(lookUp(sessions, a.IDs)))
}

// Report returns the means of the added measures.
func (t *Tally) Report() Report {
	r := t.report
	r.Memory, r.Session = t.memory.mean(), t.session.mean()
	return r
}

// Sessions maps the memories of a set to their sessions.
func (s Set) Sessions() map[string]string {
	sessions := map[string]string{}
	for _, m := range s.Memories {
		sessions[m.ID] = m.Session
	}
	return sessions
}

func (m *Measures) add(wanted, got []string) {
	found := func(k int) float64 {
		n := 0
		for _, id := range got[:min(k, len(got))] {
			if slices.Contains(wanted, id) {
				n++
			}
		}
		return float64(n)
	}
	of := float64(len(wanted))
	m.Queries++
	m.Recall1 += found(1) / of
	m.Recall5 += found(5) / of
	m.Recall10 += found(10) / of
	m.Hit5 += min(found(5), 1)
	if at := slices.IndexFunc(got, func(id string) bool { return slices.Contains(wanted, id) }); at >= 0 {
		m.MRR += 1 / float64(at+1)
	}
}

func (m Measures) mean() Measures {
	n := float64(max(m.Queries, 1))
	return Measures{
		m.Queries, m.Recall1 / n, m.Recall5 / n, m.Recall10 / n,
		m.Hit5 / n, m.MRR / n,
	}
}

func lookUp(sessions map[string]string, ids []string) []string {
	var found []string
	for _, id := range ids {
		found = append(found, sessions[id])
	}
	return found
}

func unique(ids []string) []string {
	var kept []string
	for _, id := range ids {
		if !slices.Contains(kept, id) {
			kept = append(kept, id)
		}
	}
	return kept
}
