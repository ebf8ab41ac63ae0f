{{/* What the charts in the namespace are told, as YAML. */}}

{{/*
What the Secret of the parent says: nothing where there is none, as when the chart
is rendered without a cluster. That of tenant-root is its own parent.
*/}}
{{- define "tenant.parentValues" -}}
{{- $secret := lookup "v1" "Secret" .Release.Namespace "cozystack-values" | default dict }}
{{- $values := get ($secret.data | default dict) "values.yaml" | b64dec | fromYaml }}
{{- if hasKey $values "Error" }}
{{- fail (printf "Secret %s/cozystack-values: values.yaml: %s" .Release.Namespace $values.Error) }}
{{- end }}
{{- toYaml $values }}
{{- end -}}

{{/*
As the webhook does: the list is what both allow, the default the nearest one in
the list. A parent that says nothing of a list allows all, one that says [] none,
so the key must not come or go on the way.
*/}}
{{- define "tenant.values" -}}
{{- $values := include "tenant.parentValues" . | fromYaml }}
{{- $namespace := $values._namespace | default dict }}
{{- if eq (include "tenant.namespace" .) .Release.Namespace }}
{{- $namespace = omit $namespace "allowedAffinityClasses" "defaultAffinityClass" }}
{{- end }}
{{- $parents := $namespace.allowedAffinityClasses }}
{{- $own := .Values.allowedAffinityClasses }}
{{- $allowed := kindIs "slice" $own | ternary $own $parents }}
{{- if and (kindIs "slice" $own) (kindIs "slice" $parents) }}
{{- $allowed = list }}
{{- range $own }}
{{- if has . $parents }}
{{- $allowed = append $allowed . }}
{{- end }}
{{- end }}
{{- end }}
{{- $default := "" }}
{{- range list .Values.defaultAffinityClass $namespace.defaultAffinityClass }}
{{- if and . (or (not (kindIs "slice" $allowed)) (has . ($allowed | default list))) }}
{{- $default = $default | default . }}
{{- end }}
{{- end }}
{{- $namespace = omit $namespace "allowedAffinityClasses" "defaultAffinityClass" }}
{{- if kindIs "slice" $allowed }}
{{- $_ := set $namespace "allowedAffinityClasses" $allowed }}
{{- end }}
{{- with $default }}
{{- $_ := set $namespace "defaultAffinityClass" . }}
{{- end }}
{{- toYaml (set $values "_namespace" $namespace) }}
{{- end -}}
