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

{{/*
Of updates, only those by which a Pod's last scheduling gate goes or its binary value
changes.
*/}}
{{- define "affinity-webhook.finalPod" -}}
{{ include "affinity-webhook.notAMirror" . }}
- name: created-or-ready-to-be-scheduled-or-asking-anew
  expression: >-
    request.operation == 'CREATE'
    || (has(oldObject.spec.schedulingGates) && oldObject.spec.schedulingGates.size() > 0
    && (!has(object.spec.schedulingGates) || object.spec.schedulingGates.size() == 0))
    || object.metadata.?annotations[?'affinity.cozystack.io/binary'] != oldObject.metadata.?annotations[?'affinity.cozystack.io/binary']
{{- end }}

{{/*
A person's or a tool's change of a template, and in a dry run of anything that a
preview depends on. What the controllers of Kubernetes make comes from a template that
was looked at already, and so does a ReplicaSet that is really made.
*/}}
{{- define "affinity-webhook.changedTemplate" -}}
- name: not-by-a-controller-of-kubernetes
  expression: >-
    !request.userInfo.username.startsWith('system:serviceaccount:kube-system:')
- name: a-replicaset-only-in-a-dry-run
  expression: request.resource.resource != 'replicasets' || request.dryRun
- name: created-or-another-template
  expression: >-
    request.operation == 'CREATE'
    || (request.dryRun && object.spec != oldObject.spec)
    || (has(object.spec.jobTemplate)
    ? object.spec.jobTemplate != oldObject.spec.jobTemplate
    : object.spec.template != oldObject.spec.template)
{{- end }}

{{/*
A release of which nothing changes that its class is derived from, or that is derived,
and one that is being deleted: our absence must not hold up a finalizer, nor the
release controller's own updates. Only two keys of the values are compared, since the
rest may be large.
*/}}
{{- define "affinity-webhook.changedRelease" -}}
- name: not-being-deleted
  expression: "!has(object.metadata.deletionTimestamp)"
- name: created-or-another-class
  expression: >-
    request.operation == 'CREATE'
    || ['apps.cozystack.io/affinity-class', 'apps.cozystack.io/application.group', 'apps.cozystack.io/application.kind',
    'apps.cozystack.io/application.name', 'helm.toolkit.fluxcd.io/name', 'helm.toolkit.fluxcd.io/namespace']
    .exists(k, object.metadata.?labels[?k] != oldObject.metadata.?labels[?k])
    || ['affinity.cozystack.io/class', 'affinity.cozystack.io/class-source', 'affinity.cozystack.io/inject-values',
    'affinity.cozystack.io/previous-class', 'affinity.cozystack.io/resolve']
    .exists(k, object.metadata.?annotations[?k] != oldObject.metadata.?annotations[?k])
    || object.metadata.?ownerReferences != oldObject.metadata.?ownerReferences
    || object.?spec.?kubeConfig.hasValue() != oldObject.?spec.?kubeConfig.hasValue()
    || (type(object.?spec.?values.orValue(0)) == type({})) != (type(oldObject.?spec.?values.orValue(0)) == type({}))
    || (type(object.?spec.?values.orValue(0)) == type({})
    && ['affinityClass', '_scheduling'].exists(k, object.spec.values[?k] != oldObject.spec.values[?k]))
{{- end }}

{{/*
A release in the middle of a change of class, whose spec changes again: if it has become
ready meanwhile, its former class is to be forgotten. Missing one costs little, so this
is asked with failurePolicy Ignore.
*/}}
{{- define "affinity-webhook.settledRelease" -}}
- name: not-being-deleted
  expression: "!has(object.metadata.deletionTimestamp)"
- name: another-spec-after-a-change-of-class
  expression: >-
    request.operation == 'UPDATE'
    && oldObject.metadata.?annotations[?'affinity.cozystack.io/previous-class'].hasValue()
    && object.?spec != oldObject.?spec
{{- end }}

{{/* Our absence must not hold up the finalizers of what is being deleted. */}}
{{- define "affinity-webhook.notGoing" -}}
- name: not-being-deleted
  expression: "request.operation == 'DELETE' || !has(object.metadata.deletionTimestamp)"
{{- end }}

{{- define "affinity-webhook.releaseRules" -}}
- apiGroups: [helm.toolkit.fluxcd.io]
  apiVersions: [v2]
  operations: [CREATE, UPDATE]
  resources: [helmreleases]
  scope: Namespaced
{{- end }}

{{- define "affinity-webhook.validateHelmRelease" -}}
{{- include "affinity-webhook.entry" (dict "root" .root "name" .name "path" "/validate-helmrelease" "selector" .selector
  "rules" (include "affinity-webhook.releaseRules" . | fromYamlArray) "conditions" (include "affinity-webhook.changedRelease" .root)) }}
{{- end }}

{{/*
Applications are judged as releases when a release is made of them; here it is their
author who is answered.
*/}}
{{- define "affinity-webhook.validateApplication" -}}
{{- $rules := list (dict "apiGroups" (list "apps.cozystack.io") "apiVersions" (list "*") "operations" (list "CREATE" "UPDATE") "resources" (list "*") "scope" "Namespaced") }}
{{- include "affinity-webhook.entry" (dict "root" .root "name" .name "path" "/validate-application" "selector" .selector "rules" $rules
  "conditions" (include "affinity-webhook.namesAClass" .root) "onFailure" "Ignore") }}
{{- end }}
{{- define "affinity-webhook.namesAClass" -}}
- name: not-a-tenant
  expression: request.resource.resource != 'tenants'
- name: names-a-class
  expression: "!has(object.metadata.deletionTimestamp) && object.?spec.?affinityClass.hasValue()"
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
  (dict "apiGroups" (list "apps") "apiVersions" (list "v1") "operations" (list "CREATE" "UPDATE") "resources" (list "daemonsets" "deployments" "replicasets" "statefulsets") "scope" "Namespaced")
  (dict "apiGroups" (list "batch") "apiVersions" (list "v1") "operations" (list "CREATE" "UPDATE") "resources" (list "cronjobs" "jobs") "scope" "Namespaced") }}
{{- include "affinity-webhook.entry" (dict "root" .root "name" .name "path" .path "selector" .selector "rules" $rules
  "conditions" (include "affinity-webhook.changedTemplate" .root) "onFailure" "Ignore" "timeout" 1) }}
{{- end }}
