package drain

import (
	"fmt"
	"strings"

	"github.com/cozystack/affinityclass/affinityclass/placement/surge"
)

// notes are what stands beside the answer: what a whole node's worth does not
// exclude, what would narrow it, and what the audit does not know.
func (r *Report) notes(b *strings.Builder) {
	if len(r.Residuals) > 0 {
		fmt.Fprintln(b, "\nOccupied hosts take a whole node's worth all the same:")
	}
	for _, residual := range r.Residuals {
		fmt.Fprintf(b, "  %s: %s (%s)\n", residual.Node, residual.Name, residual.Detail)
	}
	r.narrowing(b)
	if len(r.Budgets) > 0 {
		fmt.Fprintln(b, "\nPodDisruptionBudgets hold up the drain:")
	}
	for _, budget := range r.Budgets {
		if budget.Why == surge.TooFew {
			fmt.Fprintf(b, "  %s allows %d of %d evictions now: %s\n", budget.Budget, budget.Allowed, len(budget.Pods), some(budget.Pods))
			continue
		}
		fmt.Fprintf(b, "  %s: %s: %s\n", budget.Budget, budget.Why, some(budget.Pods))
	}
	if len(r.Unmanaged) > 0 {
		fmt.Fprintf(b, "\nNothing creates these Pods again: %s\n", some(r.Unmanaged))
	}
	if len(r.Unmodelled) > 0 {
		fmt.Fprintln(b, "\nNot judged:")
	}
	for _, u := range r.Unmodelled {
		fmt.Fprintf(b, "  %s: %s", u.Pod, strings.Join(u.What, ", "))
		if len(u.Volumes) > 0 {
			fmt.Fprintf(b, "; volumes that may tie it to some nodes: %s", strings.Join(u.Volumes, ", "))
		}
		fmt.Fprintln(b)
	}
}

func (r *Report) narrowing(b *strings.Builder) {
	for _, n := range r.Narrowing {
		verb := "would take away"
		if n.Required {
			verb = "takes away"
		}
		what := "no node"
		if len(n.Excluded) > 0 {
			what = some(n.Excluded)
		}
		fmt.Fprintf(b, "\n--require-same %s (%s) %s %s; its price: %s.\n", n.Label, n.Value, verb, what, n.Price)
	}
}

// assumed is what the audit takes for granted, a sentence each.
func assumed(a *surge.Report) (notes []string) {
	if a.Standing != "" {
		notes = append(notes, fmt.Sprintf("Pod %s is on %s already: it is taken for this placeholder, so it neither leaves nor is a neighbour", a.Earlier, a.Standing))
	}
	if over := a.Size().OverQuota; over != nil {
		notes = append(notes, fmt.Sprintf("a quota of its namespace refuses the placeholder wherever it would land: %s", over))
	}
	if len(a.Terminating) > 0 {
		notes = append(notes, "Pods that are being deleted are counted all the same, since something may create them again: "+some(names(a.Terminating)))
	}
	return notes
}

// remarks are what the answer rests on; they stand at its end, whatever it is.
func (r *Report) remarks(b *strings.Builder) {
	for i, note := range r.Notes {
		if i == 0 {
			fmt.Fprintln(b)
		}
		fmt.Fprintf(b, "note: %s\n", note)
	}
}
