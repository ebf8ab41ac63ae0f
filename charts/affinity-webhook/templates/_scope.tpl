{{/*
Which namespaces and Pods are judged. Every webhook takes its scope from here, so
that none can differ.
*/}}

{{/* The values of affinity.cozystack.io/enforce that the server knows. */}}
{{- define "affinity-webhook.modes" -}}
- deny
{{- end }}

{{/*
Namespaces never judged. kubernetes.io/metadata.name is set by the API server and
cannot be changed; a namespace without the other label passes NotIn.
*/}}
{{- define "affinity-webhook.exclusions" -}}
- key: kubernetes.io/metadata.name
  operator: NotIn
  values:
    {{- list "kube-system" .Release.Namespace | concat .Values.excludedNamespaces | uniq | sortAlpha | toYaml | nindent 4 }}
- key: cozystack.io/system
  operator: NotIn
  values:
    - "true"
{{- end }}

{{- define "affinity-webhook.optedIn" -}}
matchExpressions:
  - key: affinity.cozystack.io/enforce
    operator: In
    values:
      {{- include "affinity-webhook.modes" . | nindent 6 }}
  {{- include "affinity-webhook.exclusions" . | nindent 2 }}
{{- end }}

{{/*
The platform's namespaces, less those that the selector above already matches:
nothing is reviewed twice, and a value that the server does not know does not take
a namespace out of sight.
*/}}
{{- define "affinity-webhook.platform" -}}
matchExpressions:
  - key: {{ .Values.platformNamespaces.labelKey }}
    {{- if .Values.platformNamespaces.labelValues }}
    operator: In
    values:
      {{- toYaml .Values.platformNamespaces.labelValues | nindent 6 }}
    {{- else }}
    operator: Exists
    {{- end }}
  - key: affinity.cozystack.io/enforce
    operator: NotIn
    values:
      {{- include "affinity-webhook.modes" . | nindent 6 }}
  {{- include "affinity-webhook.exclusions" . | nindent 2 }}
{{- end }}

{{/*
A node may make a mirror of a static Pod that already runs: refusing it changes
nothing but what people see. Anybody may write the annotation, so it counts only
from a node.
*/}}
{{- define "affinity-webhook.podConditions" -}}
- name: not-a-mirror-pod-made-by-a-node
  expression: >-
    !(has(object.metadata.annotations)
    && 'kubernetes.io/config.mirror' in object.metadata.annotations
    && has(request.userInfo.groups)
    && 'system:nodes' in request.userInfo.groups)
{{- end }}

{{/*
One entry of a webhook configuration, for Pods: a dict of root, name, path and
selector. There is no objectSelector, for whoever makes a Pod chooses its labels;
and no caBundle, for cert-manager injects it.
*/}}
{{- define "affinity-webhook.podWebhook" -}}
- name: {{ .name }}.affinity.cozystack.io
  admissionReviewVersions:
    - v1
  clientConfig:
    service:
      name: {{ include "affinity-webhook.fullname" .root }}
      namespace: {{ .root.Release.Namespace }}
      path: {{ .path }}
      port: 443
  failurePolicy: Fail
  matchPolicy: Equivalent
  sideEffects: NoneOnDryRun
  timeoutSeconds: 5
  namespaceSelector:
    {{- include .selector .root | nindent 4 }}
  matchConditions:
    {{- include "affinity-webhook.podConditions" .root | nindent 4 }}
  rules:
    - apiGroups:
        - ""
      apiVersions:
        - v1
      operations:
        - CREATE
      resources:
        - pods
      scope: Namespaced
{{- end }}
