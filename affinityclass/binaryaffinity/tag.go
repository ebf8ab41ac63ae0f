package binaryaffinity

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// TagPrefix and a tag are the key of the label by which a Pod bears the tag,
// with any value.
const TagPrefix = "tag.affinity.cozystack.io/"

// TagsOf are the tags that a Pod with these labels bears, sorted; nil, and
// nothing allocated, when there are none.
func TagsOf(labels map[string]string) []string {
	var tags []string
	for key := range labels {
		if tag, found := strings.CutPrefix(key, TagPrefix); found {
			tags = append(tags, tag)
		}
	}
	slices.Sort(tags)
	return tags
}

// tagProblems says why a label could not have the tag for its name.
func tagProblems(tag string) []string {
	if tag == "" {
		return []string{"it is empty"}
	}
	if strings.Contains(tag, "/") {
		return []string{"it has a slash"}
	}
	return validation.IsQualifiedName(TagPrefix + tag)
}
