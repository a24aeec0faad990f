package agentapi_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
)

// checkSent decodes a message of a Light method as its receiver does.
func checkSent[P, R any](t *testing.T, method agentapi.Light[P, R], wholly bool) {
	t.Helper()
	var want P
	if wholly {
		give(t, reflect.ValueOf(&want).Elem())
	}
	message, err := method.Call(want, nil).Message(3)
	var request agentapi.Request
	if err == nil {
		err = json.Unmarshal(message, &request)
	}
	var got P
	if err == nil && len(request.Params) > 0 {
		err = json.Unmarshal(request.Params, &got)
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%s, %s: %v (-given +sent):\n%s", method.Name(), message, err, diff)
	}
	if request.Version != agentapi.Version || request.ID != 3 || request.Method != method.Name() {
		t.Errorf("%s is sent as %s", method.Name(), message)
	}
}

func TestNoParameterOfAHookIsLostOnTheWay(t *testing.T) {
	for _, wholly := range []bool{true, false} {
		checkSent(t, agentapi.MethodSpooled, wholly)
		checkSent(t, agentapi.MethodSessionContext, wholly)
		checkSent(t, agentapi.MethodRecall, wholly)
		checkSent(t, agentapi.MethodPlanSubagent, wholly)
		checkSent(t, agentapi.MethodShouldAsk, wholly)
		checkSent(t, agentapi.MethodIdle, wholly)
		checkSent(t, agentapi.MethodPing, wholly)
	}
}

// checkTaken has a Light method take a result as the agent writes it.
func checkTaken[P, R any](t *testing.T, method agentapi.Light[P, R]) {
	t.Helper()
	var params P
	var want, got R
	give(t, reflect.ValueOf(&want).Elem())
	raw, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	message, err := json.Marshal(agentapi.Response{Version: agentapi.Version, ID: 7, Result: raw})
	if err != nil {
		t.Fatal(err)
	}
	err = method.Call(params, &got).Take(7, message)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%s, %s: %v (-answered +taken):\n%s", method.Name(), message, err, diff)
	}
}

func TestNothingOfAnAnswerToAHookIsLost(t *testing.T) {
	checkTaken(t, agentapi.MethodSessionContext)
	checkTaken(t, agentapi.MethodRecall)
	checkTaken(t, agentapi.MethodShouldAsk)
	checkTaken(t, agentapi.MethodPing)
}

func TestATroubleIsReadAsItIsWritten(t *testing.T) {
	var want agentapi.Trouble
	give(t, reflect.ValueOf(&want).Elem())
	written, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, isTrouble := agentapi.ReadTrouble(written); !isTrouble || got != want {
		t.Errorf("read %+v, %v; want %+v", got, isTrouble, want)
	}
	for _, text := range []string{"", "{", "[]", `{"help":"x"}`, `{"problem":5}`} {
		if got, isTrouble := agentapi.ReadTrouble([]byte(text)); isTrouble {
			t.Errorf("%s: read %+v, want none", text, got)
		}
	}
}

// give fills every field, so that one that is new in a type is missed.
func give(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("a \"text\"\n<with> ümlaut\u2028")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(-7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		give(t, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			give(t, v.Field(i))
		}
	default:
		t.Fatalf("%s is of a kind without a case in this test", v.Type())
	}
}
