package binaryaffinity

import (
	"slices"
	"strings"
)

// nearEnough is how many letters may be wrong in a word that is still told apart
// from a tag.
const nearEnough = 3

// near is the word that a member's name was probably meant to be, or empty: one that
// is spelled nearly so, or for a list, which no weight is, one that begins alike.
func near(m member) Word {
	name := strings.ToLower(strings.ReplaceAll(m.name, "-", "_"))
	if len(name) <= len(RequireWithout)+nearEnough {
		if word := nearest(name, nearEnough, Words()); word != "" {
			return word
		}
	}
	if m.raw.Kind() != '[' || len(name) > longestTag {
		return ""
	}
	for _, verb := range []string{"require", "prefer"} {
		if strings.HasPrefix(name, verb) {
			alike := slices.DeleteFunc(Words(), func(w Word) bool { return !strings.HasPrefix(string(w), verb) })
			return nearest(name, longestTag, alike)
		}
	}
	return ""
}

// longestTag is how long a tag may be, and so a name that is worth a hint.
const longestTag = 63

// nearest is the word with the fewest letters wrong, of those with no more than most.
func nearest(name string, most int, words []Word) (best Word) {
	least := most + 1
	for _, word := range words {
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
