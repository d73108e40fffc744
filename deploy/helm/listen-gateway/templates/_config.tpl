{{/*
The text of listen-gateway.yaml. A text is the operator's own; a mapping gets what pods need where it says nothing of it,
and the server that the services have where none is named.
*/}}
{{- define "listen-gateway.config" -}}
{{- $config := .Values.config -}}
{{- if kindIs "string" $config -}}
{{- $config -}}
{{- else -}}
{{- $given := deepCopy (default dict $config) -}}
{{- if not $given.servers -}}
{{- $_ := set $given "servers" (dict "default" dict) -}}
{{- end -}}
{{- range list (list "limits" "streamsPerInstance" 16000) (list "drain" "delayMs" 10000) -}}
{{- $section := default dict (get $given (index . 0)) -}}
{{- if or (not (hasKey $section (index . 1))) (kindIs "invalid" (get $section (index . 1))) -}}
{{- $_ := set $given (index . 0) (set $section (index . 1) (index . 2)) -}}
{{- end -}}
{{- end -}}
{{- include "listen-gateway.set" $given -}}
{{- end -}}
{{- end -}}

{{/* A mapping without its empty members, which set nothing. */}}
{{- define "listen-gateway.set" -}}
{{- $set := dict -}}
{{- range $name, $value := . -}}
{{- if kindIs "map" $value -}}
{{- $_ := set $set $name (fromYaml (include "listen-gateway.set" $value)) -}}
{{- else if not (kindIs "invalid" $value) -}}
{{- $_ := set $set $name $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $set -}}
{{- end -}}

{{/* The same as data, for whoever reads it with fromYaml; what cannot be read is refused. */}}
{{- define "listen-gateway.settings" -}}
{{- $settings := fromYaml (include "listen-gateway.config" .) -}}
{{- if hasKey $settings "Error" -}}
{{- fail (printf "config: is no YAML mapping: %s" $settings.Error) -}}
{{- end -}}
{{- range $id, $server := $settings.servers -}}
{{- if kindIs "invalid" $server -}}
{{- $_ := set $settings.servers $id dict -}}
{{- end -}}
{{- end -}}
{{- include "listen-gateway.set" $settings -}}
{{- end -}}

{{/* A whole number of the configuration: (list . "drain" "graceMs" 5000), the last being what the services take unless it is set. */}}
{{- define "listen-gateway.number" -}}
{{- $section := default dict (get (fromYaml (include "listen-gateway.settings" (index . 0))) (index . 1)) -}}
{{- if not (kindIs "map" $section) -}}
{{- fail (printf "config.%s: must be a mapping, but is %v" (index . 1) $section) -}}
{{- end -}}
{{- $value := get $section (index . 2) -}}
{{- if not (hasKey $section (index . 2)) -}}
{{- index . 3 -}}
{{- else if not (regexMatch "^[0-9]+$" (toJson $value)) -}}
{{- fail (printf "config.%s.%s: must be a whole number, but is %s" (index . 1) (index . 2) (toJson $value)) -}}
{{- else -}}
{{- int64 $value -}}
{{- end -}}
{{- end -}}
