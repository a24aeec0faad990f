package statement

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
)

// rejections are the first words of a plain rejection.
var rejections = language.Set(language.No + `wrong incorrect stop undo revert`)

// coreWord is the fewest bytes of a word that can name the subject of a sentence.
const coreWord = 5

// Rejects says whether a person's words reject the sentence that they answer: they open
// as a rejection, or share a word of the subject with it.
func Rejects(said, answered string) bool {
	if answered == "" {
		return false
	}
	fields := lowerFields(said)
	if len(fields) > 0 && rejections[strings.Trim(fields[0], ",.!:;")] {
		return true
	}
	about := map[string]bool{}
	for _, word := range lowerFields(answered) {
		if word = strings.Trim(word, "`'\"(),.!:;?"); len(word) >= coreWord && !common5[word] {
			about[strings.TrimSuffix(stemOf(word), "s")] = true
		}
	}
	for _, word := range fields {
		if word = strings.Trim(word, "`'\"(),.!:;?"); len(word) >= coreWord && about[strings.TrimSuffix(stemOf(word), "s")] {
			return true
		}
	}
	return false
}

// common5 are words of that length that are in sentences about anything.
var common5 = language.Set(`about after again always because before being between could doing either every first might never other really right should since still their there these thing things think those thought through under until where which while without would wrong`)
