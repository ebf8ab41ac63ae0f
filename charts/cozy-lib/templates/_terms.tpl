{{/* Node selector terms as JSON, which is what one helper can hand to another. */}}

{{/* The whole class. A platform that knows only selectors hands over no terms. */}}
{{- define "cozy-lib.scheduling.terms" -}}
{{- $affinity := (.Values._scheduling | default dict).nodeAffinity | default dict }}
{{- $required := $affinity.requiredDuringSchedulingIgnoredDuringExecution | default dict }}
{{- $required.nodeSelectorTerms | default (include "cozy-lib.scheduling.selectorTerms" . | fromJsonArray) | toJson }}
{{- end -}}

{{/* What the class's node selector says, as terms. */}}
{{- define "cozy-lib.scheduling.selectorTerms" -}}
{{- $expressions := list }}
{{- range $key, $value := (.Values._scheduling | default dict).nodeSelector }}
{{- $expressions = append $expressions (dict "key" $key "operator" "In" "values" (list $value)) }}
{{- end }}
{{- empty $expressions | ternary list (list (dict "matchExpressions" $expressions)) | toJson }}
{{- end -}}

{{/* The terms that a node selector cannot say: none, or else those of the whole class. */}}
{{- define "cozy-lib.scheduling.termsBeyondSelector" -}}
{{- $terms := include "cozy-lib.scheduling.terms" . }}
{{- eq $terms (include "cozy-lib.scheduling.selectorTerms" .) | ternary "[]" $terms }}
{{- end -}}

{{/*
Called with two lists of terms: those that hold where one of each list does. A term
that says nothing matches no node, so it must not vanish in its conjunction.
*/}}
{{- define "cozy-lib.scheduling.both" -}}
{{- $both := list }}
{{- range $one := first . }}
{{- range $other := last $ }}
{{- $term := dict }}
{{- range $field := list "matchExpressions" "matchFields" }}
{{- with concat (get $one $field | default list) (get $other $field | default list) | uniq }}
{{- $_ := set $term $field . }}
{{- end }}
{{- end }}
{{- $both = append $both (or (empty $one) (empty $other) | ternary dict $term) }}
{{- end }}
{{- end }}
{{- $both | uniq | toJson }}
{{- end -}}
