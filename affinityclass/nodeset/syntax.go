package nodeset

import (
	"strconv"
	"strings"
)

// The rules of k8s.io/apimachinery/pkg/api/validate/content, without its
// regular expressions: those read a value to its end however long it is, and
// cost more than all else here. The tests compare the two.
const (
	maxValue  = 63  // content.LabelValueMaxLength
	maxDomain = 253 // content.DNS1123SubdomainMaxLength
)

// isValue follows content.IsLabelValue.
func isValue(s string) bool { return s == "" || isWord(s) }

// isKey follows content.IsLabelKey.
func isKey(s string) bool {
	if len(s) > maxDomain+1+maxValue {
		return false
	}
	prefix, name, prefixed := strings.Cut(s, "/")
	if !prefixed {
		return isWord(s)
	}
	return isNodeName(prefix) && isWord(name)
}

// isWord is the part that keys and values share.
func isWord(s string) bool {
	if s == "" || len(s) > maxValue || !isAlnum(s[0]) || !isAlnum(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlnum(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// isNodeName follows content.IsDNS1123Subdomain, which the API server holds the
// names of nodes to.
func isNodeName(s string) bool {
	if s == "" || len(s) > maxDomain {
		return false
	}
	before := byte('.')
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		case c == '-' && before != '.':
		case c == '.' && before != '.' && before != '-':
		default:
			return false
		}
		before = c
	}
	return before != '.' && before != '-'
}

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// number reads a label value as labels.Requirement does for Gt and Lt:
// strconv.ParseInt in base 10. No label value begins with a sign, so integers
// are never negative; leading zeros make other values of the same integer.
func number(value string) (int64, bool) {
	if value == "" || value[0] < '0' || value[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(value, 10, 64)
	return n, err == nil
}
