//go:build race

package nodeset

// slowdown is what the race detector costs, about.
const slowdown = 10
