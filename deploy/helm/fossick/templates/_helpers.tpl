{{- define "fossick.name" -}}
{{- if contains "fossick" .Release.Name -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-fossick" .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- define "fossick.selector" -}}
app.kubernetes.io/name: fossick
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "fossick.labels" -}}
{{ include "fossick.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "fossick.secret" -}}
{{ .Values.masterKey.existingSecret | default (include "fossick.name" .) }}
{{- end -}}
