package review

import (
	"strings"

	"github.com/cozystack/affinityclass/lineage"
)

// verdict fills in what every verdict says.
func (f *finding) verdict(kind Kind, reason Reason) Verdict {
	return Verdict{Kind: kind, Reason: reason, Facts: f.facts()}
}

func (f *finding) facts() Facts {
	facts := Facts{Subject: f.subject(), Class: f.className(), Action: string(f.action), DryRun: f.request.DryRun}
	facts.Hops = max(0, len(f.chain())-1)
	if found := branches(f.outcome); len(found) > 0 {
		facts.Release = found[0].Release
	}
	return facts
}

func (f *finding) subject() Subject {
	if template := f.request.Template; template != nil {
		return Subject{template.Owner.Kind, f.request.Namespace, template.Owner.Name}
	}
	return Subject{podKind.Kind, f.request.Namespace, f.request.displayName()}
}

// chain is what was walked; of several branches the first.
func (f *finding) chain() []lineage.Hop {
	switch outcome := f.outcome.(type) {
	case lineage.Unmanaged:
		return outcome.Chain
	case lineage.Broken:
		return outcome.Chain
	case lineage.Unknown:
		return outcome.Chain
	}
	if found := branches(f.outcome); len(found) > 0 {
		return found[0].Chain
	}
	return nil
}

// shown is the part of the chain that whoever asks may see: nothing above the first
// object of another namespace.
func (f *finding) shown() []lineage.Hop {
	chain := f.chain()
	for i, hop := range chain {
		if hop.Object != nil && hop.Object.Namespace != "" && hop.Object.Namespace != f.request.Namespace {
			return chain[:i+1]
		}
	}
	return chain
}

// top is the last owner below the chain's first release.
func top(chain []lineage.Hop) *Owner {
	var last *Owner
	for i, hop := range chain {
		if hop.Object == nil || hop.Object.GroupKind == lineage.HelmRelease {
			break
		}
		if i > 0 {
			last = &Owner{APIVersion: versionOf(chain[i-1].Object, hop.Object), Object: hop.Object}
		}
	}
	return last
}

// longestVersion bounds what a reference may say: nobody else does.
const longestVersion = 253

// versionOf is the version in which child's reference names its owner.
func versionOf(child, owner *lineage.Object) string {
	for _, ref := range child.Owners {
		if ref.UID == owner.UID && len(ref.APIVersion) <= longestVersion {
			return ref.APIVersion
		}
	}
	return ""
}

// application is how the release is called by the people who made it.
func application(release *lineage.Object) string {
	kind := release.Labels[lineage.LabelApplicationKind]
	name := release.Labels[lineage.LabelApplicationName]
	if kind == "" || name == "" {
		return "HelmRelease " + release.Namespace + "/" + release.Name
	}
	return kind + " " + name
}

// applications names the application of every release reached.
func (f *finding) applications() string {
	var names []string
	for _, branch := range branches(f.outcome) {
		names = append(names, application(branch.Release))
	}
	return strings.Join(names, ", ")
}
