package binaryaffinity

import "strings"

// nearEnough is how many letters may be wrong in a word that is still told apart
// from a tag.
const nearEnough = 3

// near is the word that a name was probably meant to be, or empty.
func near(name string) Word {
	if len(name) > len(RequireWithout)+nearEnough {
		return ""
	}
	name = strings.ToLower(strings.ReplaceAll(name, "-", "_"))
	best, least := Word(""), nearEnough+1
	for _, word := range Words() {
		if wrong := distance(name, string(word)); wrong < least {
			best, least = word, wrong
		}
	}
	return best
}

// distance counts the letters to insert, delete or replace to make one string of
// the other (Levenshtein), a row of the table at a time.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
