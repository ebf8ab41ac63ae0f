package drain

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/affinityclass/placement/surge"
)

const shown = 8 // nodes and Pods that a line of text names

// Text writes the report for people.
func (r *Report) Text(w io.Writer) error {
	var b strings.Builder
	r.head(&b)
	if len(r.Reschedulable) > 0 {
		r.landing(&b)
		r.rest(&b)
		if err := r.compare(&b); err != nil {
			return err
		}
		r.notes(&b)
	}
	r.remarks(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) head(b *strings.Builder) {
	if len(r.Reschedulable) == 0 {
		fmt.Fprintf(b, "Drain of %s: no Pod has to land elsewhere, so nothing is reserved.\n", r.Candidate)
		return
	}
	fmt.Fprintf(b, "Drain of %s: %s to land elsewhere.\n", r.Candidate, have(len(r.Reschedulable)))
	size := r.audit.Size()
	fmt.Fprintf(b, "Reservation, %s%s: ", size.Mode, r.because())
	if len(size.Refused) > 0 {
		fmt.Fprintln(b, "refused.")
		for _, refusal := range size.Refused {
			fmt.Fprintf(b, "  %s.\n", refusal)
		}
		return
	}
	fmt.Fprintf(b, "%s.\n", written(quantities(size.Requests), "a Pod's place alone, as the Pods request nothing"))
	if r.Placeholder != nil && len(r.Placeholder.Tolerates) > 0 {
		fmt.Fprintf(b, "  It tolerates what the node was given: %s.\n", strings.Join(r.Placeholder.Tolerates, ", "))
	}
	if len(size.Clamped) > 0 {
		fmt.Fprintf(b, "  The Pods request more than the node has beside its DaemonSets: %s is not reserved.\n", written(r.Clamped, ""))
	}
}

func (r *Report) because() string {
	if len(r.known.Classes) == 0 {
		return ""
	}
	return " (as every class of the node asks: " + strings.Join(r.known.Classes, ", ") + ")"
}

// landing says where the placeholder could land, and how the Pods fare there.
func (r *Report) landing(b *strings.Builder) {
	size := r.audit.Size()
	if !size.Reserves() {
		return
	}
	if size.OverQuota != nil {
		fmt.Fprintf(b, "No node could take it, not a new one either: %s.\n", size.OverQuota)
		return
	}
	if len(size.Absorb) == 0 {
		fmt.Fprintf(b, "No existing node could take it, of %d: only a new one.\n", len(size.Excluded))
		return
	}
	fmt.Fprintf(b, "It could land on %d of %d other nodes: %s.\n", len(size.Absorb), len(size.Absorb)+len(size.Excluded), some(size.Absorb))
	var whole []string
	var partly []surge.Host
	for _, host := range r.absorbing() {
		if len(host.Refused) == 0 {
			whole = append(whole, host.Node)
		} else {
			partly = append(partly, host)
		}
	}
	if len(whole) > 0 {
		fmt.Fprintf(b, "%s a place on %s.\n", of(len(r.Reschedulable), len(r.Reschedulable)), some(whole))
	}
	for _, host := range partly[:min(shown, len(partly))] {
		r.onHost(b, &host)
	}
	if more := len(partly) - shown; more > 0 {
		fmt.Fprintf(b, "%d more nodes refuse some of them.\n", more)
	}
}

func (r *Report) onHost(b *strings.Builder, host *surge.Host) {
	all := len(r.Reschedulable)
	fmt.Fprintf(b, "%s a place on %s;", of(all-len(host.Refused), all), host.Node)
	indent := " "
	if len(host.Refused) > 1 {
		fmt.Fprintln(b)
		indent = "  "
	}
	for _, refused := range host.Refused[:min(shown, len(host.Refused))] {
		fmt.Fprintf(b, "%s%s has none: %s (%s)\n", indent, refused.Pod, why(refused.Stage, refused.Reason), surge.Remedy(refused.Stage, refused.Reason))
	}
	if more := len(host.Refused) - shown; more > 0 {
		fmt.Fprintf(b, "  and %d more\n", more)
	}
}

// why says who refuses whom, where two Pods do not go together.
func why(stage string, reason *placement.Reason) string {
	if stage != "pod_anti_affinity" || reason.Blocking.Name == "" {
		return reason.String()
	}
	by := "by " + short(reason.TopologyKey()) + " anti-affinity"
	if reason.Theirs() {
		return fmt.Sprintf("%s refuses it %s", reason.Blocking, by)
	}
	return fmt.Sprintf("it refuses %s %s", reason.Blocking, by)
}

func short(key string) string {
	switch key {
	case v1.LabelHostname:
		return "hostname"
	case v1.LabelTopologyZone:
		return "zone"
	case v1.LabelTopologyRegion:
		return "region"
	default:
		return key
	}
}

// rest says how the Pods fare in the rest of the cluster.
func (r *Report) rest(b *strings.Builder) {
	var without []Elsewhere
	for _, e := range r.Elsewhere {
		if e.Verdict != placed {
			without = append(without, e)
		}
	}
	all := len(r.Elsewhere)
	if len(without) == 0 {
		fmt.Fprintf(b, "One after another, %s a place in the rest of the cluster as it is.\n", of(all, all))
		return
	}
	fmt.Fprintf(b, "One after another, %s a place in the rest of the cluster as it is;\n", of(all-len(without), all))
	for _, e := range without[:min(shown, len(without))] {
		fmt.Fprintf(b, "  %s has none%s: %s\n", e.Pod, e.hope(), strings.Join(e.Reasons, "; "))
	}
	if more := len(without) - shown; more > 0 {
		fmt.Fprintf(b, "  and %d more\n", more)
	}
}

func (e *Elsewhere) hope() string {
	switch {
	case e.Verdict == contended:
		return ", unless the others land otherwise (" + some(e.Possible) + ")"
	case e.Class == surge.NodeLevel:
		return " wherever the others land, but another host may do"
	default:
		return " wherever the others land, and no choice of host helps"
	}
}

// written lists quantities by name.
func written(quantities map[string]string, none string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(quantities)) {
		parts = append(parts, name+" "+quantities[name])
	}
	if len(parts) == 0 {
		return none
	}
	return strings.Join(parts, ", ")
}

func of(pods, all int) string {
	if pods == 1 {
		return fmt.Sprintf("1 of %d Pods has", all)
	}
	return fmt.Sprintf("%d of %d Pods have", pods, all)
}

func have(pods int) string {
	if pods == 1 {
		return "1 Pod has"
	}
	return strconv.Itoa(pods) + " Pods have"
}

// some names the first few.
func some(all []string) string {
	text := strings.Join(all[:min(shown, len(all))], ", ")
	if more := len(all) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
