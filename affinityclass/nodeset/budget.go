package nodeset

import "math"

// Budget is how many steps one answer may cost; past it the answer is Unproven.
//
// It is about a millisecond: on a 2.6 GHz core of a busy virtual machine it lasted
// for 0.4 to 1.5 ms in the costliest of the hostile formulas of the tests (1.5 MB
// of terms, requirements or values; pigeonholes; random clauses of three). None of
// a million random small pairs took more than 500 steps. It also bounds what can
// be read: a Pod whose constraints hold more than about 5,000 keys and values
// stays unproven.
const Budget = 40_000

// The prices of acts, so that a step of any kind takes about the same time: 10 to
// 40 ns. Comparing a key's state with one side of a box is a step or a few.
const (
	priceRead   = 8 // to check and file one key or value of a formula
	priceTry    = 6 // to ask whether formulas hold a string
	priceAsk    = 8 // to begin the search of one inner term
	wordsAStep  = 8 // words of a bit set that one step goes over
	runsAStep   = 4 // runs of atoms that one step goes over
	sidesAStep  = 4 // sides of a box that one step looks at for absence
	limitsAStep = 8 // keys of the outer set that one step prepares
)

// meter counts steps down. Once steps are refused it is spent for good.
type meter struct{ left int }

// unmetered is for the outer side, which an administrator writes and which is
// read once.
func unmetered() *meter { return &meter{left: math.MaxInt} }

// spend takes steps and says whether they could be had.
func (m *meter) spend(steps int) bool {
	if m.left < steps {
		m.left = -1
		return false
	}
	m.left -= steps
	return true
}

func (m *meter) spent() bool { return m.left < 0 }
