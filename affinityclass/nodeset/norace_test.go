//go:build !race

package nodeset

// slowdown is none without the race detector.
const slowdown = 1
