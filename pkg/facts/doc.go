// Package facts ranks the facts that a model wrote of sessions: few, short sentences,
// each with cues, the situations in which it is to be told. It ranks by BM25 over a
// fact's text, cues and quoted words, and by the one cue that the query has most of; one
// threshold decides whether a query is told anything. It is pure: it uses no store, no
// clock and no model. It does not know the log of a project, which package recall ranks.
package facts
