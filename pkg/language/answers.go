package language

// Lists of the words with which people answer, which blanks part.
const (
	// Yes are words that agree.
	Yes = " yes yep yeah yup ok okay sure "
	// No are words that refuse.
	No = " no nope nah "
	// Praise are words that praise or thank at the beginning of a text.
	Praise = " great thanks perfect cool nice "
	// Sighs are sounds.
	Sighs = " hmm hm oh ah "
)
