{{/*
Where the Pods of an application may run, as its AffinityClass says. The platform
hands the class to the chart in its values, and nobody else does:

  _scheduling: {affinityClass, nodeSelector, nodeAffinity, tolerations}

nodeAffinity says the whole class, nodeSelector the part of it that a node selector
can say. Any of them may be empty, null or missing: where the platform handed over
nothing, every helper renders nothing.

All but merge are called with the root context: include "..." .
*/}}

{{/* The one include, for the spec of a Pod: whatever the class needs there. */}}
{{- define "cozy-lib.scheduling.podSpec" -}}
{{- include "cozy-lib.scheduling.merge" (list . dict) }}
{{- end -}}

{{/* nodeSelector: nothing for a class that has only terms. */}}
{{- define "cozy-lib.scheduling.nodeSelector" -}}
{{- with (.Values._scheduling | default dict).nodeSelector -}}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* nodeAffinity: the whole class, for what has no nodeSelector of its own. */}}
{{- define "cozy-lib.scheduling.nodeAffinity" -}}
{{- with include "cozy-lib.scheduling.terms" . | fromJsonArray -}}
nodeAffinity:
  requiredDuringSchedulingIgnoredDuringExecution:
    nodeSelectorTerms:
      {{- toYaml . | nindent 6 }}
{{- end }}
{{- end -}}

{{/* tolerations: */}}
{{- define "cozy-lib.scheduling.tolerations" -}}
{{- with (.Values._scheduling | default dict).tolerations -}}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
