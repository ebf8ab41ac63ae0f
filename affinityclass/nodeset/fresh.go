package nodeset

import (
	"math"
	"strconv"
)

// spelling finds a label value that is an integer from low to high and free.
// Plain ones come first, from the bound inwards; then those with leading zeros:
// "8", "08" and "008" are three values and one integer. Each failed attempt is a
// string that some formula holds, so there are no more attempts than those.
func spelling(low, high int64, free func(string) bool, m *meter) (string, bool) {
	if low > high {
		return "", false
	}
	start, end, step := low, high, int64(1)
	if low == 0 && high != math.MaxInt64 {
		start, end, step = high, low, -1
	}
	if s, ok := plain(start, end, step, free, m); ok {
		return s, true
	}
	for n := start; !m.spent(); n += step {
		for s := "0" + strconv.FormatInt(n, 10); len(s) <= maxValue && m.spend(priceTry); s = "0" + s {
			if free(s) {
				return s, true
			}
		}
		if n == end {
			break
		}
	}
	return "", false
}

func plain(start, end, step int64, free func(string) bool, m *meter) (string, bool) {
	for n := start; m.spend(priceTry); n += step {
		if s := strconv.FormatInt(n, 10); free(s) {
			return s, true
		}
		if n == end {
			break
		}
	}
	return "", false
}

// word finds a free string that is not an integer: "other", or one like it.
func word(free func(string) bool, m *meter) string {
	s := "other"
	for i := 2; !free(s) && m.spend(priceTry); i++ {
		s = "other-" + strconv.Itoa(i)
	}
	return s
}
