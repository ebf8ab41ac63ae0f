package v1alpha1

// The bounds of a class. They are also in the schema, where they keep the cost
// of its rules within what the API server accepts.
const (
	MaxNodeSelectorPairs = 16
	MaxTerms             = 16
	MaxRequirements      = 16 // of each sort in a term
	MaxValues            = 16 // in a requirement
	MaxTolerations       = 16
	MaxDescriptionLength = 256
)

// The bounds of an exemption.
const (
	MaxUsernames      = 16
	MaxUsernameLength = 512
	MaxNamespaces     = 256
	MaxPodLabels      = 16
	MaxReasonLength   = 256
)

// The words of each rule, the same in the CustomResourceDefinitions.
const (
	nameRule     = "the name must be a DNS label of at most 63 characters: it is copied into a label value"
	keyRule      = "every key must be a label key: a name of at most 63 characters, optionally after a DNS subdomain and a slash"
	valueRule    = "every value must be a label value: empty, or at most 63 characters of letters, digits, '-', '_' and '.', beginning and ending with a letter or digit"
	contractRule = "at least one of nodeSelector and nodeSelectorTerms is required"
	selectorRule = "nodeSelector is immutable: make a new class and move the applications to it"
	termsRule    = "nodeSelectorTerms is immutable: make a new class and move the applications to it"

	emptyTermRule  = "a term needs a requirement: an empty one matches no node"
	someValueRule  = "In and NotIn need a value"
	noValueRule    = "Exists and DoesNotExist take no value"
	integerRule    = "Gt and Lt need exactly one value: a decimal integer of 64 bits"
	oneNameRule    = "In and NotIn take exactly one name"
	nodeNameRule   = "the name of a node must be a DNS subdomain of at most 253 characters"
	everyTaintRule = "a toleration without a key tolerates every taint: its operator must be Exists"
	existsRule     = "Exists takes no value"
	secondsRule    = "tolerationSeconds needs the effect NoExecute"

	usernameRule    = "'*' has a meaning only in system:serviceaccount:NAMESPACE:*"
	namespaceRule   = "every namespace must be a name, a DNS label: patterns have no meaning here"
	podSelectorRule = "a podSelector needs a requirement: leave it out to mean every Pod"
	reasonRule      = "a reason must be given: it goes on record with each Pod let through"
	groupRule       = "the group must be a DNS subdomain without a version, such as batch"
	kindRule        = "the kind must be the name of a kind, such as Job"
)
