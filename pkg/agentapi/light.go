package agentapi

import (
	"errors"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/jsonout"
)

// Light is a Method that hook programs ask: its caller writes and reads the messages
// without encoding/json, whose reflection would be a tenth of such a program.
type Light[P, R any] struct {
	Method[P, R]
	write func(P, *jsonout.Object)
	read  func(*R, hookio.Value) error
}

func light[P, R any](name string, write func(P, *jsonout.Object), read func(*R, hookio.Value) error) Light[P, R] {
	return Light[P, R]{Method[P, R]{name}, write, read}
}

// Call is Method.Call.
func (m Light[P, R]) Call(params P, result *R) Call {
	call := Call{method: m.name, take: func(id int64, message []byte) error {
		found, err := resultIn(id, message)
		if err != nil || result == nil {
			return err
		}
		if err := m.read(result, found); err != nil {
			return fmt.Errorf("decode the result: %w", err)
		}
		return nil
	}}
	members := jsonout.Append(nil)
	m.write(params, &members)
	if !members.IsEmpty() {
		call.params = members.End
	}
	return call
}

// resultIn is the result of a response to the request with the id. An error of the agent's
// is an *Error.
func resultIn(id int64, message []byte) (hookio.Value, error) {
	answer, err := hookio.ParseObject(message)
	if err != nil {
		return hookio.Value{}, fmt.Errorf("decode the answer: %w", err)
	}
	if got := answer.Int("id"); got != id {
		return hookio.Value{}, otherAnswer(got, id)
	}
	if refused := answer.Get("error"); refused.Kind == hookio.Object {
		return hookio.Value{}, &Error{Code: int(refused.Int("code")), Message: refused.String("message")}
	}
	return answer.Get("result"), nil
}

var errNotOfItsType = errors.New("it is not of its type")

func (None) write(*jsonout.Object) {}

func (*None) read(hookio.Value) error { return nil }

func readBool(yes *bool, v hookio.Value) error {
	if v.Kind != hookio.Bool {
		return errNotOfItsType
	}
	*yes = v.True
	return nil
}

func (p SpooledParams) write(o *jsonout.Object) { o.Given("spool", p.Spool) }

func (c Caller) write(o *jsonout.Object) {
	o.Text("program", c.Program)
	o.Text("path", c.Path)
	o.Given("distill", c.Distill)
}

func (p SessionContextParams) write(o *jsonout.Object) {
	o.Text("project", p.Project)
	o.Given("root", p.Root)
	o.Given("dir", p.Dir)
	o.Given("client", p.Client)
	o.Text("session", p.Session)
	o.Given("source", p.Source)
	o.Number("token_budget", p.TokenBudget)
	o.Given("before", p.Before)
	o.Number("wait_ms", p.WaitMS)
}

func (p RecallParams) write(o *jsonout.Object) {
	o.Text("purpose", p.Purpose)
	o.Text("project", p.Project)
	o.Given("root", p.Root)
	o.Given("dir", p.Dir)
	o.Given("client", p.Client)
	o.Text("session", p.Session)
	o.Given("subagent", p.Subagent)
	o.Given("text", p.Text)
	o.Given("file", p.File)
	o.Given("command", p.Command)
	o.Number("token_budget", p.TokenBudget)
	o.Count("max_lines", p.MaxLines)
	o.Flag("hint", p.Hint)
	o.Flag("report_kept", p.ReportKept)
	o.Number("wait_ms", p.WaitMS)
}

func (p PlanSubagentParams) write(o *jsonout.Object) {
	o.Text("session", p.Session)
	o.Text("type", p.Type)
	o.Text("task", p.Task)
}

func (p ShouldAskParams) write(o *jsonout.Object) {
	o.Text("project", p.Project)
	o.Text("session", p.Session)
	o.Number("wait_ms", p.WaitMS)
}

func (r *ContextResult) read(v hookio.Value) error {
	if v.Kind != hookio.Object {
		return errNotOfItsType
	}
	r.Text, r.Tokens, r.Encoding = v.String("text"), int(v.Int("tokens")), v.String("encoding")
	r.Items, r.Budget = int(v.Int("items")), int(v.Int("budget"))
	r.Kept, r.KeptCommand = v.String("kept"), v.String("kept_command")
	if trouble := v.Get("trouble"); trouble.Kind == hookio.Object {
		r.Trouble = new(troubleIn(trouble))
	}
	return nil
}

func (s *DistillState) read(v hookio.Value) error {
	if v.Kind != hookio.Object {
		return errNotOfItsType
	}
	s.Enabled, s.Receiver = v.Bool("enabled"), v.String("receiver")
	s.SessionTokens, s.DayTokens = int(v.Int("session_tokens")), int(v.Int("day_tokens"))
	return nil
}

// ReadBill reads a DistillBill that was written as JSON.
func ReadBill(text []byte) (DistillBill, error) {
	v, err := hookio.ParseObject(text)
	return DistillBill{
		Sessions: int(v.Int("sessions")), USD: v.Float("usd"), Receiver: v.String("receiver"),
		LeastFacts: int(v.Int("least_facts")), MostFacts: int(v.Int("most_facts")),
	}, err
}

func troubleIn(v hookio.Value) Trouble {
	return Trouble{Problem: v.String("problem"), Help: v.String("help"), Command: v.String("command")}
}

// ReadTrouble reads a Trouble that was written as JSON; false: it is none.
func ReadTrouble(text []byte) (Trouble, bool) {
	v, err := hookio.ParseObject(text)
	trouble := troubleIn(v)
	return trouble, err == nil && trouble.Problem != ""
}
