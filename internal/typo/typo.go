// Package typo tells how far a name is from one that may have been meant.
//
//	typo.Distance("defualt", "default") // 1
//
// Which distance is near enough depends on what the names are, and is for the caller to say.
package typo

// Distance counts the characters to insert, delete, replace or swap with their neighbour to get from a to b. Its work is the
// product of the two lengths: bound names that come from outside.
func Distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			replace := last[j]
			if s[i] != t[j] {
				replace++
			}
			row[j+1] = min(replace, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
