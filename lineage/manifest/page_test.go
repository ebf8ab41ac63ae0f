package manifest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cozystack/affinityclass/lineage/manifest"
)

// A page of a list says nothing of what is on the others.
func TestAPageIsNotTakenForTheList(t *testing.T) {
	long := strings.Repeat("- apiVersion: v1\n  kind: Pod\n  metadata: {name: a, annotations: {text: \""+strings.Repeat("x", 100)+"\"}}\n", 12000)
	for name, text := range map[string]string{
		"in YAML":          "apiVersion: v1\nkind: PodList\nmetadata: {continue: abc}\nitems:\n- metadata: {name: a}\n",
		"in JSON":          `{"apiVersion":"v1","kind":"List","metadata":{"continue":"abc"},"items":[]}`,
		"a long one":       "apiVersion: v1\nkind: List\nitems:\n" + long + "metadata:\n  continue: abc\n",
		"a long one, told": "apiVersion: v1\nkind: List\nmetadata:\n  continue: abc\nitems:\n" + long,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := manifest.Read("dump", strings.NewReader(text))
			if !errors.Is(err, manifest.ErrPage) || !strings.HasPrefix(fmt.Sprint(err), "dump: document ") {
				t.Errorf("got %v", err)
			}
			whole := strings.ReplaceAll(text, "abc", `""`)
			if name == "in JSON" {
				whole = strings.ReplaceAll(text, "abc", "")
			}
			if _, err := manifest.Read("dump", strings.NewReader(whole)); err != nil {
				t.Errorf("the whole list: %v", err)
			}
		})
	}
}
