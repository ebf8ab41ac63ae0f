{{/*
Which namespaces and Pods are judged. Every webhook takes its scope from here, so
that none can differ.
*/}}

{{/* The values of affinity.cozystack.io/enforce that the server knows. */}}
{{- define "affinity-webhook.modes" -}}
- audit
- deny
- warn
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
The namespaces of one mode. The mode reaches the server as a path: so it is the
one by which the API server selected the webhook, never one that a cache of ours
remembers.
*/}}
{{- define "affinity-webhook.inMode" -}}
matchExpressions:
  - key: affinity.cozystack.io/enforce
    operator: In
    values:
      - {{ .mode }}
  {{- include "affinity-webhook.exclusions" .root | nindent 2 }}
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

{{/* The suffix of a path and of a name for a mode: deny has none. */}}
{{- define "affinity-webhook.modePath" -}}
{{- if ne . "deny" }}/{{ . }}{{ end -}}
{{- end }}
{{- define "affinity-webhook.modeName" -}}
{{- if ne . "deny" }}-{{ . }}{{ end -}}
{{- end }}

{{/*
A node may make a mirror of a static Pod that already runs: refusing it changes
nothing but what people see. Anybody may write the annotation, so it counts only
from a node.
*/}}
{{- define "affinity-webhook.notAMirror" -}}
- name: not-a-mirror-pod-made-by-a-node
  expression: >-
    !(has(object.metadata.annotations)
    && 'kubernetes.io/config.mirror' in object.metadata.annotations
    && has(request.userInfo.groups)
    && 'system:nodes' in request.userInfo.groups)
{{- end }}

{{/* Of updates, only the one by which a Pod's last scheduling gate goes. */}}
{{- define "affinity-webhook.finalPod" -}}
{{ include "affinity-webhook.notAMirror" . }}
- name: created-or-ready-to-be-scheduled
  expression: >-
    request.operation == 'CREATE'
    || (has(oldObject.spec.schedulingGates) && oldObject.spec.schedulingGates.size() > 0
    && (!has(object.spec.schedulingGates) || object.spec.schedulingGates.size() == 0))
{{- end }}

{{/*
A person's or a tool's change of a template. What the controllers of Kubernetes
make comes from a template that was looked at already.
*/}}
{{- define "affinity-webhook.changedTemplate" -}}
- name: not-by-a-controller-of-kubernetes
  expression: >-
    !request.userInfo.username.startsWith('system:serviceaccount:kube-system:')
- name: created-or-another-template
  expression: >-
    request.operation == 'CREATE'
    || (has(object.spec.jobTemplate)
    ? object.spec.jobTemplate != oldObject.spec.jobTemplate
    : object.spec.template != oldObject.spec.template)
{{- end }}

{{/*
One entry of a webhook configuration: a dict of root, name, path, the rendered
namespaceSelector and matchConditions, and rules. There is no objectSelector, for
whoever makes an object chooses its labels; and no caBundle, for cert-manager
injects it.
*/}}
{{- define "affinity-webhook.entry" -}}
- name: {{ .name }}.affinity.cozystack.io
  admissionReviewVersions:
    - v1
  clientConfig:
    service:
      name: {{ include "affinity-webhook.fullname" .root }}
      namespace: {{ .root.Release.Namespace }}
      path: {{ .path }}
      port: 443
  failurePolicy: {{ .onFailure | default "Fail" }}
  matchPolicy: Equivalent
  sideEffects: NoneOnDryRun
  timeoutSeconds: {{ .timeout | default 5 }}
  {{- with .selector }}
  namespaceSelector:
    {{- . | nindent 4 }}
  {{- end }}
  {{- with .conditions }}
  matchConditions:
    {{- . | nindent 4 }}
  {{- end }}
  rules:
    {{- toYaml .rules | nindent 4 }}
{{- end }}

{{- define "affinity-webhook.validatePod" -}}
{{- $rules := list (dict "apiGroups" (list "") "apiVersions" (list "v1") "operations" (list "CREATE" "UPDATE") "resources" (list "pods") "scope" "Namespaced") }}
{{- include "affinity-webhook.entry" (dict "root" .root "name" .name "path" .path "selector" .selector "rules" $rules
  "conditions" (include "affinity-webhook.finalPod" .root)) }}
{{- end }}

{{- define "affinity-webhook.validateWorkload" -}}
{{- $rules := list
  (dict "apiGroups" (list "apps") "apiVersions" (list "v1") "operations" (list "CREATE" "UPDATE") "resources" (list "daemonsets" "deployments" "statefulsets") "scope" "Namespaced")
  (dict "apiGroups" (list "batch") "apiVersions" (list "v1") "operations" (list "CREATE" "UPDATE") "resources" (list "cronjobs" "jobs") "scope" "Namespaced") }}
{{- include "affinity-webhook.entry" (dict "root" .root "name" .name "path" .path "selector" .selector "rules" $rules
  "conditions" (include "affinity-webhook.changedTemplate" .root) "onFailure" "Ignore" "timeout" 1) }}
{{- end }}
