{{- define "lib.labels" }}
app: {{ .Release.Name }}
{{- end }}
