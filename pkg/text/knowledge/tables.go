package knowledge

import _ "embed" // the tables, see rules/README.md

var (
	//go:embed rules/lasting.txt
	lastingText string
	//go:embed rules/undivided.txt
	undividedText string
	//go:embed rules/pronouns.txt
	pronounsText string
	//go:embed rules/markers.txt
	markersText string
	//go:embed rules/remember.txt
	rememberText string
	//go:embed rules/everywhere.txt
	everywhereText string
)
