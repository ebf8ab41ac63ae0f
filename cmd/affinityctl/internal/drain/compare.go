package drain

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cozystack/affinityclass/affinityclass/placement/surge"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
)

// compare shows both sizes side by side.
func (r *Report) compare(b *strings.Builder) error {
	var rows []output.Row
	for _, size := range []struct {
		mode surge.Mode
		*Size
	}{{surge.DrainSized, &r.Compare.DrainSized}, {surge.WholeNode, &r.Compare.WholeNode}} {
		asks, absorb, excluded := "refused", "-", "-"
		if size.Requests != nil {
			asks, absorb, excluded = written(size.Requests, "-"), strconv.Itoa(size.Absorb), strconv.Itoa(size.Excluded)
		}
		headroom := "-"
		if size.Headroom != nil {
			headroom = strings.TrimSpace(string(size.Headroom.Verdict) + " " + written(size.Headroom.Short, ""))
		}
		rows = append(rows, output.Row{Cells: []string{
			"  " + string(size.mode), asks, absorb, excluded, strconv.Itoa(len(size.Unplaced)), written(size.Extra, "-"), headroom}})
	}
	fmt.Fprintln(b)
	if r.Compare.DrainSized.Headroom != nil || r.Compare.WholeNode.Headroom != nil {
		fmt.Fprintln(b, "Headroom is a check beforehand, not an invariant: what is in use may change before the placeholder is there.")
	}
	return output.Table(b, []string{"  SIZE", "REQUESTS", "NODES", "EXCLUDED", "UNPLACED", "EXTRA", "HEADROOM"}, rows)
}
