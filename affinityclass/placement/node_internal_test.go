package placement

import (
	"testing"
	"unsafe"
)

// Of many nodes a preview takes as long as the processor takes to fetch them.
func TestWhatEveryPreviewReadsOfANodeIsInOneCacheLine(t *testing.T) {
	var n node
	if size := unsafe.Sizeof(n); size%cacheLine != 0 {
		t.Errorf("a node has %d bytes, so that the next one begins within a line", size)
	}
	if end := unsafe.Offsetof(n.left) + unsafe.Sizeof(n.left.fixed); end > cacheLine {
		t.Errorf("what is left of cpu, memory and ephemeral-storage ends at byte %d", end)
	}
	s := NewSnapshot()
	for _, name := range []string{"a", "b", "c"} {
		if at := uintptr(unsafe.Pointer(s.node(name))); at%cacheLine != 0 {
			t.Errorf("node %s begins at byte %d of a line", name, at%cacheLine)
		}
	}
}
