package processes

// process is the system's record of a process, ours or not.
type process struct {
	pid, parent int
	args        []string
	env         map[string]string
}
