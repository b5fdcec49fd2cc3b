{{/* Names, labels, and what all pods of the referee have in common. */}}

{{- define "ginref.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "ginref.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains (include "ginref.name" .) .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "ginref.name" .) | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "ginref.selectorLabels" -}}
app.kubernetes.io/name: {{ include "ginref.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "ginref.labels" -}}
{{ include "ginref.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "ginref.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "ginref.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "ginref.image" -}}
{{- with .Values.image }}
{{- if .digest }}
{{- printf "%s@%s" .repository .digest }}
{{- else }}
{{- printf "%s:%s" .repository (default $.Chart.AppVersion .tag) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "ginref.storeSecret" -}}
{{- if .Values.store.bundled.enabled }}
{{- printf "%s-store" (include "ginref.fullname" .) }}
{{- else }}
{{- .Values.store.existingSecret }}
{{- end }}
{{- end }}

{{- define "ginref.claim" -}}
{{- if .Values.archive.claim.create }}
{{- printf "%s-records" (include "ginref.fullname" .) }}
{{- else }}
{{- .Values.archive.existingClaim }}
{{- end }}
{{- end }}

{{/* Roles by the name of what has them. */}}
{{- define "ginref.roles" -}}
{{- get (dict "referee" "referee,sweeper" "runner" "runner" "signer" "signer" "house" "referee") . }}
{{- end }}

{{/* Who talks to the store: a list in YAML. */}}
{{- define "ginref.parts" -}}
[referee, runner, signer, house]
{{- end }}

{{/* Whoever looks whether a release works: a peer of a NetworkPolicy. */}}
{{- define "ginref.test" -}}
- podSelector:
    matchLabels:
      {{- include "ginref.selectorLabels" . | nindent 6 }}
      app.kubernetes.io/component: test
{{- end }}

{{/* What a container may do: nothing. */}}
{{- define "ginref.containerSecurity" -}}
allowPrivilegeEscalation: false
capabilities:
  drop: [ALL]
readOnlyRootFilesystem: true
{{- end }}

{{- define "ginref.podSecurity" -}}
fsGroup: {{ . }}
fsGroupChangePolicy: OnRootMismatch
runAsGroup: {{ . }}
runAsNonRoot: true
runAsUser: {{ . }}
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{/* Refuses values that no referee could start with. */}}
{{- define "ginref.check" -}}
{{- with .Values }}
{{- if not .keys.existingSecret }}
{{- fail "keys.existingSecret: name a Secret with the files of a folder of keys; README.md tells how to make one" }}
{{- end }}
{{- if not .operator.existingSecret }}
{{- fail "operator.existingSecret: name a Secret with an operator.token; README.md tells how to make one" }}
{{- end }}
{{- if ne 1 (len (compact (list .store.existingSecret .store.url (.store.bundled.enabled | ternary "bundled" "")))) }}
{{- fail "store: give one of existingSecret, url and bundled.enabled" }}
{{- end }}
{{- if regexMatch "@|password=" .store.url }}
{{- fail "store.url: a URL with a password belongs into a Secret, store.existingSecret" }}
{{- end }}
{{- if ne 1 (len (compact (list .archive.url .archive.existingClaim (.archive.claim.create | ternary "claim" "")))) }}
{{- fail "archive: give one of url, existingClaim and claim.create" }}
{{- end }}
{{- if eq (not .tls.existingSecret) (not .tls.allowPlaintext) }}
{{- fail "tls: give either existingSecret or allowPlaintext" }}
{{- end }}
{{- if and .tls.clientCertificates (not .tls.existingSecret) }}
{{- fail "tls.clientCertificates: tls.existingSecret is missing" }}
{{- end }}
{{- if and .tls.clientCertificates .http.enabled }}
{{- fail "http.enabled: browsers have no certificates of clients: turn it off, or tls.clientCertificates" }}
{{- end }}
{{- if and .ingress.http.enabled (not .http.enabled) }}
{{- fail "ingress.http: http.enabled is off" }}
{{- end }}
{{- range $kind := list "grpc" "http" "keys" }}
{{- $ingress := get $.Values.ingress $kind }}
{{- if and $ingress.enabled (not $ingress.host) }}
{{- fail (printf "ingress.%s.host: a name is missing" $kind) }}
{{- end }}
{{- end }}
{{- if and .autoscaling.enabled (not .autoscaling.cpuPercent) (not .autoscaling.attachedBots) }}
{{- fail "autoscaling: give cpuPercent, attachedBots or both" }}
{{- end }}
{{- if lt (int .autoscaling.maxReplicas) (int .autoscaling.minReplicas) }}
{{- fail "autoscaling.maxReplicas: fewer than minReplicas" }}
{{- end }}
{{- end }}
{{- end }}
