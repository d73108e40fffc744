{{/*
terminationGracePeriodSeconds: (list . "gateway" 45 50), the last two being what a shutdown may need and what it is given unless
the operator says otherwise. Who kills a pod earlier cuts streams that were promised an end.
*/}}
{{- define "listen-gateway.grace" -}}
{{- $name := index . 1 -}}
{{- $needed := index . 2 -}}
{{- $asked := (get (index . 0).Values $name).terminationGracePeriodSeconds -}}
{{- if kindIs "invalid" $asked -}}
{{- index . 3 -}}
{{- else if lt (int64 $asked) $needed -}}
{{- fail (printf "%s.terminationGracePeriodSeconds: %d is too little, a shutdown may need %d; leave it out to have it computed" $name (int64 $asked) $needed) -}}
{{- else -}}
{{- int64 $asked -}}
{{- end -}}
{{- end -}}

{{/* From SIGTERM to the end of the last stream and then of the last forwarded request, in whole seconds, and 5 s for the rest. */}}
{{- define "listen-gateway.gatewayGrace" -}}
{{- $delay := include "listen-gateway.number" (list . "drain" "delayMs" 0) | int64 -}}
{{- $window := include "listen-gateway.number" (list . "drain" "windowMs" 20000) | int64 -}}
{{- $grace := include "listen-gateway.number" (list . "drain" "graceMs" 5000) | int64 -}}
{{- $needed := add (div (add $delay $window $grace $grace 999) 1000) 5 -}}
{{- include "listen-gateway.grace" (list . "gateway" $needed (add $needed 5)) -}}
{{- end -}}

{{/* The preStop sleep, 3 s within which the publisher closes, and 5 s for the rest. */}}
{{- define "listen-gateway.publisherGrace" -}}
{{- $needed := add .Values.publisher.preStopSeconds 8 -}}
{{- include "listen-gateway.grace" (list . "publisher" $needed (add $needed 2)) -}}
{{- end -}}
