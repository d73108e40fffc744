{{/* Of both autoscalers. */}}
{{- define "listen-gateway.scaling" -}}
# Streams do not move to a new instance, only new ones go there: it must be there before the others are full.
scaleUp:
  stabilizationWindowSeconds: 0
  selectPolicy: Max
  policies:
    - { type: Percent, value: 100, periodSeconds: 60 }
    - { type: Pods, value: 4, periodSeconds: 60 }
# Each instance that goes ends its streams, and hosts that were ended five times within an hour may stay away for hours. So
# one at a time, twice an hour at most, and only when fewer were enough for all of the last half hour, a rollout included.
scaleDown:
  stabilizationWindowSeconds: 1800
  policies:
    - { type: Pods, value: 1, periodSeconds: 1800 }
{{- end -}}

{{/*
What would not scale: two autoscalers, bounds the wrong way round, and pods that refuse listens before there are more of them.
An autoscaler finds up to a tenth too much still right, and each of the others takes its part of what a lost pod held.
*/}}
{{- define "listen-gateway.checkScaling" -}}
{{- if and .Values.autoscaling.enabled .Values.keda.enabled -}}
{{- fail "autoscaling.enabled and keda.enabled: two autoscalers would work against each other; enable one" -}}
{{- end -}}
{{- $streams := include "listen-gateway.number" (list . "limits" "streamsPerInstance" 50000) | int64 -}}
{{- range $name := list "autoscaling" "keda" -}}
{{- $scaling := get $.Values $name -}}
{{- $least := int64 $scaling.minReplicas -}}
{{- $others := max 1 (sub $least 1) -}}
{{- $needed := add (div (mul $scaling.streamsPerPod 11 $least) (mul $others 10)) 1 -}}
{{- if not $scaling.enabled -}}
{{- else if gt $least (int64 $scaling.maxReplicas) -}}
{{- fail (printf "%s: minReplicas %d is more than maxReplicas %d" $name $least (int64 $scaling.maxReplicas)) -}}
{{- else if lt $streams $needed -}}
{{- fail (printf "%s.streamsPerPod: when one of %d pods is lost, the others need config.limits.streamsPerInstance of %d, which is %d; raise that or lower this" $name $least $needed $streams) -}}
{{- end -}}
{{- end -}}
{{- end -}}
