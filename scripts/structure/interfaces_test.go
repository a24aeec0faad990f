package structure

import (
	"go/types"
	"strings"
	"testing"
)

// mostMethods is how many methods an interface may declare itself: it lists the calls of one user. One that embeds
// others may have more.
const mostMethods = 8

// TestInterfacesAreNarrow: storetest.Contract is the contract of a whole store.
func TestInterfacesAreNarrow(t *testing.T) {
	for _, p := range packages(t) {
		for _, name := range p.types.Scope().Names() {
			declared, isType := p.types.Scope().Lookup(name).(*types.TypeName)
			if !isType {
				continue
			}
			i, isInterface := declared.Type().Underlying().(*types.Interface)
			full := strings.TrimPrefix(p.path, module+"/pkg/") + "." + name
			if isInterface && i.NumExplicitMethods() > mostMethods && full != "memory/storetest.Contract" {
				t.Errorf("pkg/%s declares %d methods, at most %d: give each user an interface of its own calls", full, i.NumExplicitMethods(), mostMethods)
			}
		}
	}
}
