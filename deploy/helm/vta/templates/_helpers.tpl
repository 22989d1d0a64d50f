{{- define "vta.selector" -}}
app.kubernetes.io/name: vta
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "vta.labels" -}}
{{ include "vta.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "vta.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}-vta
{{- end }}

{{- define "vta.secret" -}}
{{- .Values.existingSecret | default (include "vta.name" .) }}
{{- end }}

{{/* The settings without which a pod does not start, separated by spaces. */}}
{{- define "vta.needed" -}}
VTA_DATABASE_URL{{ if .Values.elasticsearch }} VTA_ELASTICSEARCH_URL VTA_REDIS_URL{{ end }}
{{- end }}
