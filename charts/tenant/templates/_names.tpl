{{/* Names, by the rule that the webhook goes by. */}}

{{/* With dashes in their names, two tenants could have one namespace. */}}
{{- define "tenant.name" -}}
{{- $name := trimPrefix "tenant-" .Release.Name }}
{{- if not (regexMatch "^[a-z0-9]{1,63}$" $name) }}
{{- fail (printf "release %q: a tenant's name has no dashes, so its release is called NAME or tenant-NAME" .Release.Name) }}
{{- end }}
{{- $name }}
{{- end -}}

{{- define "tenant.namespace" -}}
{{- $name := include "tenant.name" . }}
{{- $parent := .Release.Namespace }}
{{- if not (regexMatch "^tenant(-[a-z0-9]+)+$" $parent) }}
{{- fail (printf "namespace %q is no tenant's: a tenant is installed in the namespace of its parent, tenant-root for the topmost" $parent) }}
{{- end }}
{{- if hasPrefix "tenant-root-" $parent }}
{{- fail (printf "namespace %q is no tenant's: those below tenant-root are not named after it" $parent) }}
{{- end }}
{{- $namespace := printf "%s-%s" (eq $parent "tenant-root" | ternary "tenant" $parent) $name }}
{{- if gt (len $namespace) 63 }}
{{- fail (printf "namespace %q has more than 63 characters: choose a shorter name for the tenant" $namespace) }}
{{- end }}
{{- $namespace }}
{{- end -}}
