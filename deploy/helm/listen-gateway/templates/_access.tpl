{{/* What keeps the gateway from its start, as a sentence; empty where nothing does. Variables of extraEnv are believed. */}}
{{- define "listen-gateway.gatewayClosed" -}}
{{- $settings := fromYaml (include "listen-gateway.settings" .) -}}
{{- $open := list -}}
{{- range $id, $server := default (dict "default" dict) $settings.servers -}}
{{- if not (default dict $server).auth -}}
{{- $open = append $open $id -}}
{{- end -}}
{{- end -}}
{{- $exposed := or (dig "http" "exposeWithoutAuthentication" false $settings) (eq (include "listen-gateway.variable" (list . "gateway" "LG_HTTP__EXPOSE_WITHOUT_AUTHENTICATION")) "true") -}}
{{- if and $open (not $exposed) -}}
The gateway does not start: nobody is asked who they are at {{ join ", " (sortAlpha $open) }}. Set config.servers.<name>.auth
(docs/security/hosts.md), or config.http.exposeWithoutAuthentication where everybody may listen to everything.
{{- end -}}
{{- end -}}

{{- define "listen-gateway.publisherClosed" -}}
{{- $settings := fromYaml (include "listen-gateway.settings" .) -}}
{{- $exposed := or (dig "publisher" "exposeWithoutAuthentication" false $settings) (eq (include "listen-gateway.variable" (list . "publisher" "LG_PUBLISHER__EXPOSE_WITHOUT_AUTHENTICATION")) "true") -}}
{{- if not (or (dig "publisher" "auth" "" $settings) $exposed) -}}
The publisher does not start: nobody is asked who they are. Set config.publisher.auth (docs/security/publishers.md), or
config.publisher.exposeWithoutAuthentication where everybody may publish anything.
{{- end -}}
{{- end -}}

{{/* The value of a variable in a service's extraEnv: (list . "gateway" "NAME") */}}
{{- define "listen-gateway.variable" -}}
{{- $name := last . -}}
{{- range (get (first .).Values (index . 1)).extraEnv -}}
{{- if eq .name $name -}}
{{- default "" .value -}}
{{- end -}}
{{- end -}}
{{- end -}}
