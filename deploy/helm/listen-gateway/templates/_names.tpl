{{/* What the names of the release's objects begin with; room is left for the longest ending, `-publisher`. */}}
{{- define "listen-gateway.prefix" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- default $full .Values.fullnameOverride | replace "." "-" | trunc 53 | trimSuffix "-" -}}
{{- end -}}

{{/* The name of one of them: include "listen-gateway.name" (list . "gateway") */}}
{{- define "listen-gateway.name" -}}
{{- printf "%s-%s" (include "listen-gateway.prefix" (first .)) (last .) -}}
{{- end -}}

{{/* What selects a service's pods, or all of the release's, which no upgrade may change: (list . "gateway") or (list .) */}}
{{- define "listen-gateway.selector" -}}
{{- $root := first . -}}
app.kubernetes.io/name: listen-gateway
app.kubernetes.io/instance: {{ $root.Release.Name }}
{{- if gt (len .) 1 }}
app.kubernetes.io/component: {{ last . }}
{{- end }}
{{- end -}}

{{/* The labels of every object, a component's or the whole release's: (list . "gateway") or (list .) */}}
{{- define "listen-gateway.labels" -}}
{{- $root := first . -}}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/name: listen-gateway
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
{{- if gt (len .) 1 }}
app.kubernetes.io/component: {{ last . }}
{{- end }}
{{- end -}}

{{/* The Secret with the URL of Redis. */}}
{{- define "listen-gateway.brokerSecret" -}}
{{- if .Values.broker.url -}}
{{- include "listen-gateway.name" (list . "broker") -}}
{{- else -}}
{{- default "broker" .Values.broker.existingSecret -}}
{{- end -}}
{{- end -}}

{{/* The key of a service's URL in it: (list . "gateway") */}}
{{- define "listen-gateway.brokerKey" -}}
{{- $broker := (first .).Values.broker -}}
{{- ternary "url" (get $broker.keys (last .)) (ne $broker.url "") -}}
{{- end -}}

{{/* Of the pods; empty where they take the namespace's own. */}}
{{- define "listen-gateway.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "listen-gateway.prefix" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "listen-gateway.image" -}}
{{- $image := .Values.image -}}
{{- $tag := ternary $image.tag (default .Chart.AppVersion $image.tag) (ne $image.digest "") -}}
{{- $image.repository }}{{ with $tag }}:{{ . }}{{ end }}{{ with $image.digest }}@{{ . }}{{ end }}
{{- end -}}
