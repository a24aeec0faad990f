package knowledge

// Rules names the rules that find statements and conclusions, for Finder.Without.
func Rules() []string {
	var names []string
	for _, t := range []table{said, concluded} {
		for _, r := range t.rules {
			names = append(names, r.name)
		}
	}
	return append(names, RuleAsked, RuleHeading, RuleQuestion, RuleFinding, RuleReply)
}
