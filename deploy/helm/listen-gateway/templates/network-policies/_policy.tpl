{{/* The head of a policy down to its podSelector, of one service or of all pods: (list . "hosts" "gateway") or (list . "dns") */}}
{{- define "listen-gateway.policy" -}}
{{- $whose := list (first .) -}}
{{- if gt (len .) 2 -}}
{{- $whose = list (first .) (last .) -}}
{{- end -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "listen-gateway.name" (list (first .) (index . 1)) }}
  labels:
    {{- include "listen-gateway.labels" $whose | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- include "listen-gateway.selector" $whose | nindent 6 }}
{{- end -}}
