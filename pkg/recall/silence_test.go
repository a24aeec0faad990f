package recall_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// silent is an index of a project with sessions about its parts.
func silent() *recall.Index {
	x := recall.NewIndex(recall.DefaultWeights())
	parts := []string{"ledger", "mailer", "gateway", "scheduler", "catalogue", "webhook"}
	for i := range 60 {
		e := note(fmt.Sprint("n", i), fmt.Sprintf("the %s waits for batch %d before it answers", parts[i%len(parts)], i))
		e.Session = fmt.Sprint("s", i/3)
		x.Put(e)
	}
	port := note("port", "the staging database listens on port 6543")
	port.Session = "s7"
	x.Put(port)
	return x
}

// expectSpeaks puts prompts to an index, and expects an answer to some and silence to the
// others.
func expectSpeaks(t *testing.T, x *recall.Index, speaks map[string]bool) {
	t.Helper()
	for text, want := range speaks {
		if hits := x.Recall(recall.Query{Text: text, Now: epoch, Unasked: true}); (len(hits) > 0) != want {
			t.Errorf("%q finds %v", text, ids(hits))
		}
	}
}

func TestSilence(t *testing.T) {
	x := silent()
	x.Calibrate(x.SamplePrompts())
	expectSpeaks(t, x, map[string]bool{
		"which port does the staging database listen on?": true,
		"staging database port":                           true,
		"ok":                                              false,
		"continue":                                        false,
		"database":                                        false, // one word
		"do the next step, then tell me what you think": false,
		"why is the sky blue?":                          false,
		"write a poem about a harbour in autumn":        false,
		"which wine goes with a staging of Hamlet by an amateur theatre troupe in the park": false, // one word by chance
	})
}

// A short prompt that names an identifier few memories have is about them: another
// project's prompts name others. A frequent name says less, and a long prompt names many.
func TestARareIdentifierIsEnough(t *testing.T) {
	x := silent()
	for i := range 30 {
		x.Put(note(fmt.Sprint("often", i), fmt.Sprintf("the answer of writeBatch was thrown away for order %d", i)))
	}
	x.Put(note("cwd", "call repoRoot first, the working folder may be below the project"))
	x.Calibrate(x.SamplePrompts())
	expectSpeaks(t, x, map[string]bool{
		"why is it wrong to use repoRoot when joining names?":                                          true,
		"change repoRoot, then rename everything":                                                      true,
		"why is it wrong to use writeBatch when joining names?":                                        false,
		"rename kernelPanic when joining names":                                                        false,
		"why is it wrong to use repoRoot when " + strings.Repeat("joining some strange names and ", 5): false,
	})
}

// What the threshold says is a matter of the weights alone.
func TestSilenceIsASetting(t *testing.T) {
	q := recall.Query{Text: "which port does the staging database listen on?", Now: epoch, Unasked: true}
	for chance, speaks := range map[float64]bool{0: true, 1: true, 50: false} {
		w := recall.DefaultWeights()
		w.Chance = chance
		x := recall.NewIndex(w)
		x.Put(note("port", "the staging database listens on port 6543"))
		if hits := x.Recall(q); (len(hits) > 0) != speaks {
			t.Errorf("with the threshold %v: %v", chance, ids(hits))
		}
	}
}

// What is asked for is answered by the best there is.
func TestWhatIsAskedForIsAnswered(t *testing.T) {
	x := silent()
	q := recall.Query{Text: "does the mailer wait?", Now: epoch}
	if hits := x.Recall(q); len(hits) == 0 {
		t.Error("a question finds nothing")
	}
	q.Unasked = true
	if hits := x.Recall(q); len(hits) > 0 {
		t.Errorf("a prompt finds %v", ids(hits))
	}
}

// The threshold depends on the content of the index, and a grown index needs a new
// calibration.
func TestCalibration(t *testing.T) {
	x := silent()
	if x.Calibrated() {
		t.Error("it is calibrated before it was")
	}
	x.Calibrate(x.SamplePrompts())
	if !x.Calibrated() {
		t.Error("it is not calibrated")
	}
	q := recall.Query{Text: "why does the gateway of the office hum today?", Now: epoch, Unasked: true}
	before := x.Explain(q, "port")
	if before.Chance == 0 || before.Best >= before.Chance || !strings.Contains(before.Reason, "chance") {
		t.Errorf("explained %+v", before)
	}
	for i := range 40 {
		x.Put(note(fmt.Sprint("more", i), "the printer of the office is out of paper"))
	}
	if x.Calibrated() {
		t.Error("an index that has grown by half takes its chance for true")
	}
	x.Calibrate(nil)
	if x.Calibrated() {
		t.Error("no prompts calibrate it")
	}
}

// A chain of successors comes newest first, whatever words each has, and what none
// of them may say is not brought in.
func TestAChainOfSuccessorsComesNewestFirst(t *testing.T) {
	first := note("first", "the staging database listens on port 5432")
	second := note("second", "staging database port: 6543, the staging database port of May")
	third := note("third", "moved to 7654 everywhere")
	first.SupersededBy, second.SupersededBy = "second", "third"
	x := indexOf([]recall.Entry{first, second, third, note("other", "labels are printed in Hamburg")})
	hits := ids(x.Recall(recall.Query{Text: "staging database port", Now: epoch}))
	if fmt.Sprint(hits) != "[third second first]" {
		t.Errorf("hits %v", hits)
	}
	third.Memory.Status = "forgotten"
	x.Put(third)
	hits = ids(x.Recall(recall.Query{Text: "staging database port", Now: epoch}))
	if fmt.Sprint(hits) != "[second first]" {
		t.Errorf("without the newest: %v", hits)
	}
}
