{{/*
The class and what a chart says of its own. Called with a list: the root context,
and the chart's dict of nodeSelector, affinity and tolerations, any of which may be
missing:

  include "cozy-lib.scheduling.merge" (list . .Values.placement)

A Pod then has to fulfil both. What the chart prefers, and its affinity to other
Pods, stays as it is.
*/}}
{{- define "cozy-lib.scheduling.merge" -}}
{{- $root := first . }}
{{- $own := last . | default dict }}
{{- $class := $root.Values._scheduling | default dict }}
{{- $merged := dict }}
{{- with include "cozy-lib.scheduling.mergedSelector" (list $root $own) | fromJson }}
{{- $_ := set $merged "nodeSelector" . }}
{{- end }}
{{- with include "cozy-lib.scheduling.mergedAffinity" (list $root $own) | fromJson }}
{{- $_ := set $merged "affinity" . }}
{{- end }}
{{- with concat ($own.tolerations | default list) ($class.tolerations | default list) | uniq }}
{{- $_ := set $merged "tolerations" . }}
{{- end }}
{{- with $merged }}
{{- toYaml . }}
{{- end }}
{{- end -}}

{{/* Neither wins where both name a key: the chart would silently not get its node. */}}
{{- define "cozy-lib.scheduling.mergedSelector" -}}
{{- $root := first . }}
{{- $class := $root.Values._scheduling | default dict }}
{{- $selector := (last .).nodeSelector | default dict | deepCopy }}
{{- range $key, $wanted := $class.nodeSelector }}
{{- if and (hasKey $selector $key) (ne (get $selector $key | toString) (toString $wanted)) }}
{{- fail (printf "nodeSelector %s: chart %s asks for %q, AffinityClass %q of release %s for %q; take the key out of the chart's own nodeSelector, or choose another class" $key $root.Chart.Name (get $selector $key | toString) ($class.affinityClass | default "") $root.Release.Name (toString $wanted)) }}
{{- end }}
{{- $_ := set $selector $key $wanted }}
{{- end }}
{{- toJson $selector }}
{{- end -}}

{{/* Required node affinity is an OR of terms: each of the chart's with each of the class's. */}}
{{- define "cozy-lib.scheduling.mergedAffinity" -}}
{{- $affinity := (last .).affinity | default dict | deepCopy }}
{{- $wanted := include "cozy-lib.scheduling.termsBeyondSelector" (first .) | fromJsonArray }}
{{- if $wanted }}
{{- $node := $affinity.nodeAffinity | default dict }}
{{- with ($node.requiredDuringSchedulingIgnoredDuringExecution | default dict).nodeSelectorTerms }}
{{- $wanted = include "cozy-lib.scheduling.both" (list . $wanted) | fromJsonArray }}
{{- end }}
{{- $_ := set $node "requiredDuringSchedulingIgnoredDuringExecution" (dict "nodeSelectorTerms" $wanted) }}
{{- $_ := set $affinity "nodeAffinity" $node }}
{{- end }}
{{- toJson $affinity }}
{{- end -}}
