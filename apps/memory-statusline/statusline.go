package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

const (
	// patience is how long the agent may take to answer.
	patience = 80 * time.Millisecond
	// inputTime is how long the client's input may take to come.
	inputTime = time.Second
	// mostInput bounds the part of the client's input that is read, in bytes.
	mostInput = 64 << 10
	// mostShown bounds the text that was injected last, in characters.
	mostShown = 60
)

// write writes the line for the session that the client's input names. It asks the running agent, and
// waits for it only shortly; it never starts one. Of an input that
// does not end a goroutine is left, which reads it.
func write(ctx context.Context, in io.Reader, out io.Writer, layout paths.Layout) error {
	named := make(chan string, 1)
	go func() { named <- sessionOf(in) }()
	session := "" // the agent is shown without one as well
	select {
	case session = <-named:
	case <-time.After(inputTime):
	}
	_, err := fmt.Fprintln(out, line(ctx, layout, session))
	return err
}

// sessionOf is the session that the input names; "" if it names none.
func sessionOf(in io.Reader) string {
	var input struct {
		Session string `json:"session_id"`
	}
	_ = json.NewDecoder(io.LimitReader(in, mostInput)).Decode(&input)
	return input.Session
}

func line(ctx context.Context, layout paths.Layout, session string) string {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	glance, err := ask(ctx, layout, session)
	switch {
	case errors.Is(err, agentclient.ErrNoAgent):
		return "memory: asleep"
	case err != nil:
		return "memory: busy"
	case glance.Trouble != "":
		return "memory: " + short(glance.Trouble)
	case glance.State != "ready":
		return "memory: " + short(glance.State)
	case glance.Memories == 0:
		return "memory: on, nothing told yet"
	}
	return fmt.Sprintf("memory: %d told, %d tokens · %s", glance.Memories, glance.Tokens, short(glance.Last))
}

func ask(ctx context.Context, layout paths.Layout, session string) (agentapi.Glance, error) {
	var glance agentapi.Glance
	client, err := agentclient.Dial(ctx, layout.Socket())
	if err != nil {
		return glance, err
	}
	defer func() { _ = client.Close() }()
	return glance, client.Call(ctx, agentapi.MethodGlance.Call(session, &glance))
}

// short is a text on one line that fits below a prompt.
func short(text string) string {
	text = memory.OneLine(defuse.Line(text))
	if utf8.RuneCountInString(text) <= mostShown {
		return text
	}
	return string([]rune(text)[:mostShown-1]) + "…"
}
