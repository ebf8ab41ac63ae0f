{{/*
What the Pods of a chart are to each other: the tags that they bear, and beside whom
they ask to be placed. A chart has two values for it, either of which may be missing:

  affinityTags: [web]
  binaryAffinity: {require_with_tag: [], require_without_tag: [], prefer_with_tag: [cache], prefer_without_tag: []}

The webhook refuses a Pod whose annotation cannot be read. What a chart can see of it,
it refuses when it is rendered, and names the value.
*/}}

{{/* The annotation, under annotations of a Pod template: nothing where nothing is asked. */}}
{{- define "cozy-lib.scheduling.binaryAffinity" -}}
{{- $value := .Values.binaryAffinity }}
{{- if not (kindIs "invalid" $value) }}
{{- include "cozy-lib.binary.check" $value }}
{{- $members := list }}
{{- range $word := include "cozy-lib.binary.words" . | fromJsonArray }}
{{- with get $value $word }}
{{- $members = append $members (printf "%q:%s" $word (uniq . | sortAlpha | toJson)) }}
{{- end }}
{{- end }}
{{- with $members -}}
affinity.cozystack.io/binary: '{{ printf "{%s}" (join "," .) }}'
{{- end }}
{{- end }}
{{- end -}}

{{/* The labels by which a Pod bears its tags, under labels of a Pod template. */}}
{{- define "cozy-lib.scheduling.tags" -}}
{{- $tags := .Values.affinityTags }}
{{- if not (kindIs "invalid" $tags) }}
{{- include "cozy-lib.binary.checkTags" (list "affinityTags" $tags) }}
{{- range $i, $tag := uniq $tags | sortAlpha }}
{{- if $i }}{{ "\n" }}{{ end -}}
tag.affinity.cozystack.io/{{ $tag }}: ""
{{- end }}
{{- end }}
{{- end -}}

{{- define "cozy-lib.binary.words" -}}
["require_with_tag", "require_without_tag", "prefer_with_tag", "prefer_without_tag"]
{{- end -}}

{{/* Called with the value; it renders nothing, or fails. */}}
{{- define "cozy-lib.binary.check" -}}
{{- if not (kindIs "map" .) }}
{{- fail (printf "binaryAffinity: must be an object of lists of tags, is %s" (include "cozy-lib.binary.kind" .)) }}
{{- end }}
{{- $words := include "cozy-lib.binary.words" . | fromJsonArray }}
{{- $count := 0 }}
{{- range $key, $tags := . }}
{{- if not (has $key $words) }}
{{- fail (printf "binaryAffinity.%s: may only be %s; weights are not accepted here" $key (join ", " $words)) }}
{{- end }}
{{- include "cozy-lib.binary.checkTags" (list (print "binaryAffinity." $key) $tags) }}
{{- $count = add $count (len (uniq $tags)) }}
{{- end }}
{{- if gt (int $count) 64 }}
{{- fail (printf "binaryAffinity: may not name more than 64 tags in all, names %d" (int $count)) }}
{{- end }}
{{- range $tag := .require_with_tag }}
{{- if has $tag ($.require_without_tag | default list) }}
{{- fail (printf "binaryAffinity.require_without_tag: tag %q is required with and without" $tag) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Called with the name of a value and the list that it has to be. */}}
{{- define "cozy-lib.binary.checkTags" -}}
{{- $name := first . }}
{{- $tags := last . }}
{{- if not (kindIs "slice" $tags) }}
{{- fail (printf "%s: must be a list of tags, is %s" $name (include "cozy-lib.binary.kind" $tags)) }}
{{- end }}
{{- range $i, $tag := $tags }}
{{- if not (kindIs "string" $tag) }}
{{- fail (printf "%s[%d]: must be a tag, is %s; quote it" $name $i (include "cozy-lib.binary.kind" $tag)) }}
{{- end }}
{{- if not (regexMatch "^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$" $tag) }}
{{- fail (printf "%s[%d]: %q is not a tag: 1 to 63 letters, digits, -, _ or ., the first and the last a letter or a digit" $name $i $tag) }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "cozy-lib.binary.kind" -}}
{{- $kinds := dict "invalid" "null" "map" "an object" "slice" "a list" "string" "a string" "bool" "a boolean" }}
{{- get $kinds (kindOf .) | default "a number" }}
{{- end -}}
