{{/* The pod of a part: a dict of root, part and values. */}}
{{- define "ginref.pod" -}}
{{- $values := .root.Values }}
{{- $serves := eq .part "referee" }}
{{- $house := eq .part "house" }}
{{- $storeSecret := include "ginref.storeSecret" .root }}
{{- $claim := include "ginref.claim" .root }}
metadata:
  labels:
    {{- include "ginref.selectorLabels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .part }}
  {{- if or .values.podAnnotations $values.settings }}
  annotations:
    {{- with .values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- with $values.settings }}
    # Another file of settings wants other pods.
    checksum/settings: {{ toYaml . | sha256sum }}
    {{- end }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  # Variables named after Services would be taken for settings.
  enableServiceLinks: false
  serviceAccountName: {{ include "ginref.serviceAccountName" .root }}
  {{- with $values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- with .values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  securityContext:
    {{- include "ginref.podSecurity" 65532 | nindent 4 }}
  # The sleep before, the time for calls, and what is left to close.
  terminationGracePeriodSeconds: {{ add 20 (div (int $values.referee.drainMs) 1000) }}
  containers:
    - name: {{ .part }}
      image: {{ include "ginref.image" .root }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      args:
        - serve
        {{- if $values.settings }}
        - --config=/run/ginref/settings/settings.yaml
        {{- end }}
        - --log-format={{ $values.log.format }}
        - --log-level={{ $values.log.level }}
        {{- with $values.otel.endpoint }}
        - --otel-endpoint={{ . }}
        {{- end }}
        - --roles={{ include "ginref.roles" .part }}
        - --data=/var/lib/ginref/data
        - --keys=/run/ginref/keys
        - --archive={{ empty $claim | ternary $values.archive.url "/var/lib/ginref/records" }}
        - --keep={{ $values.keep }}
        - --store={{ empty $storeSecret | ternary $values.store.url "file:/run/ginref/store/url" }}
        - --admin=0.0.0.0:7879
        {{- if $serves }}
        - --listen=0.0.0.0:7878
        {{- if $values.http.enabled }}
        - --http=0.0.0.0:7880
        - --spectators={{ $values.http.spectators }}
        {{- with $values.http.origins }}
        - --http-origins={{ join "," . }}
        {{- end }}
        {{- end }}
        - --drain-ms={{ int $values.referee.drainMs }}
        - --connection-age-ms={{ int $values.referee.connectionAgeMs }}
        {{- if $values.tls.existingSecret }}
        - --tls-cert=/run/ginref/tls/tls.crt
        - --tls-key=/run/ginref/tls/tls.key
        {{- if $values.tls.clientCertificates }}
        - --tls-client-ca=/run/ginref/tls/ca.crt
        {{- end }}
        {{- else }}
        - --allow-plaintext
        {{- end }}
        {{- end }}
        {{- if $house }}
        # Its bots alone come here; everybody else meets them through the store.
        - --listen=127.0.0.1:7878
        - --house={{ join "," .values.bots }}
        {{- end }}
        {{- if not (and $serves $values.http.enabled) }}
        - --http=off
        {{- end }}
        {{- if $values.store.assumeDurable }}
        - --assume-durable
        {{- end }}
      {{- with merge (dict) $values.archive.env $values.otel.env }}
      env:
        {{- range $name, $value := . }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
      {{- end }}
      {{- with compact (list $values.archive.existingSecret $values.otel.existingSecret) }}
      envFrom:
        {{- range . }}
        - secretRef:
            name: {{ . }}
        {{- end }}
      {{- end }}
      ports:
        {{- if $serves }}
        - name: grpc
          containerPort: 7878
        {{- if $values.http.enabled }}
        - name: http
          containerPort: 7880
        {{- end }}
        {{- end }}
        - name: admin
          containerPort: 7879
      startupProbe:
        httpGet: {path: /livez, port: admin}
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: {path: /livez, port: admin}
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: {path: /readyz, port: admin}
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 2
      {{- if $serves }}
      lifecycle:
        preStop:
          # Until nobody is sent here any more.
          sleep: {seconds: 5}
      {{- end }}
      resources:
        {{- toYaml .values.resources | nindent 8 }}
      securityContext:
        {{- include "ginref.containerSecurity" . | nindent 8 }}
      volumeMounts:
        - {name: data, mountPath: /var/lib/ginref/data}
        - {name: operator, mountPath: /var/lib/ginref/data/operator.token, subPath: operator.token, readOnly: true}
        - {name: keys, mountPath: /run/ginref/keys, readOnly: true}
        {{- if $values.settings }}
        - {name: settings, mountPath: /run/ginref/settings, readOnly: true}
        {{- end }}
        {{- if $storeSecret }}
        - {name: store, mountPath: /run/ginref/store, readOnly: true}
        {{- end }}
        {{- if $claim }}
        - {name: records, mountPath: /var/lib/ginref/records}
        {{- end }}
        {{- if and $serves $values.tls.existingSecret }}
        - {name: tls, mountPath: /run/ginref/tls, readOnly: true}
        {{- end }}
  volumes:
    - name: data
      {{- if $house }}
      persistentVolumeClaim:
        claimName: {{ include "ginref.fullname" .root }}-house
      {{- else }}
      emptyDir: {}
      {{- end }}
    - name: operator
      secret:
        secretName: {{ $values.operator.existingSecret }}
        defaultMode: 0440
    - name: keys
      secret:
        secretName: {{ $values.keys.existingSecret }}
        defaultMode: 0440
    {{- if $values.settings }}
    - name: settings
      configMap:
        name: {{ include "ginref.fullname" .root }}
    {{- end }}
    {{- if $storeSecret }}
    - name: store
      secret:
        secretName: {{ $storeSecret }}
        defaultMode: 0440
        items:
          - {key: {{ $values.store.bundled.enabled | ternary "url" $values.store.key }}, path: url}
    {{- end }}
    {{- if $claim }}
    - name: records
      persistentVolumeClaim:
        claimName: {{ $claim }}
    {{- end }}
    {{- if and $serves $values.tls.existingSecret }}
    - name: tls
      secret:
        secretName: {{ $values.tls.existingSecret }}
        defaultMode: 0440
    {{- end }}
  {{- if $values.topologySpread.enabled }}
  topologySpreadConstraints:
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: {{ $values.topologySpread.whenUnsatisfiable }}
      labelSelector:
        matchLabels:
          {{- include "ginref.selectorLabels" $.root | nindent 10 }}
          app.kubernetes.io/component: {{ $.part }}
    {{- end }}
  {{- end }}
  {{- with .values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
