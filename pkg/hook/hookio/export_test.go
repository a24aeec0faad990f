package hookio

import "io"

// Limits are other limits than those of a hook's input; one that is not above 0 is as there.
type Limits struct {
	String, Depth, Nodes int
	Skip                 []string
}

// DecodeWithin is Decode with other limits.
func DecodeWithin(r io.Reader, other Limits) (Input, error) {
	within := inputLimits
	for given, limit := range map[*int]*int{&other.Depth: &within.depth, &other.Nodes: &within.nodes} {
		if *given > 0 {
			*limit = *given
		}
	}
	if other.String > 0 {
		within.text = max(other.String, leastText)
	}
	if other.Skip != nil {
		within.skip = other.Skip
	}
	return decode(r, within)
}

// Has reports whether a value, possibly null, exists at path.
func (v Value) Has(path ...string) bool { return v.Get(path...).Kind != Missing }
