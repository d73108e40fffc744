{{/* What the pods of both services have alike; the argument is (list . "gateway"), whose second also names its values. */}}

{{- define "listen-gateway.podMetadata" -}}
{{- $root := first . -}}
{{- $values := get $root.Values (last .) -}}
annotations:
  # A changed setting rolls the pods.
  checksum/config: {{ include "listen-gateway.config" $root | sha256sum }}
  {{- with $root.Values.broker.url }}
  checksum/broker: {{ . | sha256sum }}
  {{- end }}
  {{- with $values.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
labels:
  {{- include "listen-gateway.selector" . | nindent 2 }}
  {{- with $values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "listen-gateway.podSettings" -}}
{{- $root := first . -}}
{{- $values := get $root.Values (last .) -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with include "listen-gateway.serviceAccount" $root }}
serviceAccountName: {{ . }}
{{- end }}
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with $values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- range . }}
  {{- $counted := dict "labelSelector" (dict "matchLabels" (fromYaml (include "listen-gateway.selector" $))) }}
  - {{ toYaml (merge (deepCopy .) $counted) | nindent 4 | trim }}
  {{- end }}
{{- end }}
volumes:
  - name: config
    configMap: { name: {{ include "listen-gateway.name" (list $root "config") }} }
  {{- with $values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "listen-gateway.container" -}}
{{- $root := first . -}}
{{- $values := get $root.Values (last .) -}}
image: {{ include "listen-gateway.image" $root | quote }}
{{- with $root.Values.image.pullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
args: [{{ last . }}]
env:
  - { name: LG_CONFIG, value: /etc/listen-gateway/listen-gateway.yaml }
  - name: LG_BROKER__URL
    valueFrom:
      secretKeyRef: { name: {{ include "listen-gateway.brokerSecret" $root }}, key: {{ include "listen-gateway.brokerKey" . }} }
  {{- with $values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
# Not ready while Redis is away or it drains; alive all the same, since a restart would end its streams.
readinessProbe:
  httpGet: { path: /readyz, port: admin }
  periodSeconds: 5
  timeoutSeconds: 2
  failureThreshold: 2
livenessProbe:
  httpGet: { path: /livez, port: admin }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
resources:
  {{- toYaml $values.resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: config, mountPath: /etc/listen-gateway, readOnly: true }
  {{- with $values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
