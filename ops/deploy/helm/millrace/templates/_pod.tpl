{{/* What every pod has in common. Called with: root, group, args, sizes, data (volumes of its own). */}}
{{- define "millrace.pod" -}}
metadata:
  labels: {app: millrace, group: {{ .group }}}
  annotations:
    prometheus.io/scrape: "true"
    prometheus.io/port: "8080"
    checksum/config: {{ .root.Values.settings | toYaml | sha256sum }}
spec:
  securityContext: {runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532, seccompProfile: {type: RuntimeDefault}}
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 20
  containers:
    - name: millrace
      image: {{ .root.Values.image | quote }}
      args: {{ .args | toJson }}
      env:
        - {name: POD_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
        {{- if .member }}
        - {name: MILLRACE_MEMBER, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
        {{- end }}
      {{- with .root.Values.secret }}
      envFrom: [{secretRef: {name: {{ . | quote }}}}]
      {{- end }}
      ports:
        - {name: http, containerPort: 8080}
        {{- if .peers }}
        - {name: peers, containerPort: 8090}
        {{- end }}
      startupProbe: {tcpSocket: {port: http}, periodSeconds: 2, failureThreshold: 150}
      livenessProbe: {tcpSocket: {port: http}, periodSeconds: 20, failureThreshold: 6}
      resources:
        requests: {cpu: {{ .sizes.cpu | quote }}, memory: {{ .sizes.memory | quote }}}
        limits: {memory: {{ .sizes.limit | quote }}}
      securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
      volumeMounts:
        - {name: config, mountPath: /etc/millrace, readOnly: true}
        - {name: data, mountPath: /data}
        - {name: tmp, mountPath: /tmp}
  volumes:
    - {name: config, configMap: {name: {{ .root.Release.Name }}}}
    - {name: tmp, emptyDir: {}}
    {{- if not .keeps }}
    - {name: data, emptyDir: {}}
    {{- end }}
{{- end }}

{{/* A disruption takes one process of a group at a time. Called with: root, group. */}}
{{- define "millrace.budget" -}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: {{ .root.Release.Name }}-{{ .group }}}
spec:
  maxUnavailable: 1
  selector: {matchLabels: {app: millrace, group: {{ .group }}}}
{{- end }}
