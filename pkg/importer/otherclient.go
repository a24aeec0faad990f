package importer

// format is the form of another client's transcript: it makes of each line the entries that Claude Code would
// have written.
type format interface {
	// entries are those of a line. The error says that it is no JSON object; null passes for an empty one.
	entries(line []byte) ([]entry, error)
	// start is the session of the transcript and its directory, once the lines so far tell them.
	start() (session, dir string)
}
