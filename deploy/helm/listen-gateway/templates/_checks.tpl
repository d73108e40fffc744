{{/* What would be installed and then not start, or end its streams early, is refused here, each with what to do instead. */}}
{{- define "listen-gateway.checks" -}}
{{- include "listen-gateway.checkBroker" . -}}
{{- include "listen-gateway.checkVariables" (list . "gateway") -}}
{{- include "listen-gateway.checkVariables" (list . "publisher") -}}
{{- include "listen-gateway.checkDrain" . -}}
{{- include "listen-gateway.checkMemory" . -}}
{{- include "listen-gateway.checkServers" . -}}
{{- include "listen-gateway.checkScaling" . -}}
{{- end -}}

{{- define "listen-gateway.checkBroker" -}}
{{- if and .Values.broker.url .Values.broker.existingSecret -}}
{{- fail "broker: url and broker.existingSecret are both set; keep the one that is meant" -}}
{{- end -}}
{{- $settings := fromYaml (include "listen-gateway.settings" .) -}}
{{- if dig "broker" "url" "" $settings -}}
{{- fail "config.broker.url: pods take the URL from a Secret instead; leave it out here, and set broker.existingSecret or broker.url" -}}
{{- else if or (dig "broker" "password" "" $settings) (dig "broker" "sentinel" "password" "" $settings) -}}
{{- fail "config.broker: a password would stand in a ConfigMap; give it as LG_BROKER__PASSWORD or LG_BROKER__SENTINEL__PASSWORD from a Secret, in extraEnv of gateway and publisher" -}}
{{- end -}}
{{- end -}}

{{/* What the chart computes with must not be changed behind its back. */}}
{{- define "listen-gateway.checkVariables" -}}
{{- $name := last . -}}
{{- $values := get (first .).Values $name -}}
{{- range $values.extraEnv -}}
{{- if regexMatch "^LG_(CONFIG|BROKER__URL)(_FILE)?$" .name -}}
{{- fail (printf "%s.extraEnv: %s is set by the chart; use config and broker" $name .name) -}}
{{- else if regexMatch "^LG_(DRAIN__.*|(LIMITS__STREAMS_PER_INSTANCE|(LISTEN|ADMIN|PUBLISHER)__PORT)(_FILE)?)$" .name -}}
{{- fail (printf "%s.extraEnv: %s is something that the chart computes with; set it in config" $name .name) -}}
{{- end -}}
{{- end -}}
{{- range $label, $_ := $values.podLabels -}}
{{- if regexMatch "^app\\.kubernetes\\.io/(name|instance|component)$" $label -}}
{{- fail (printf "%s.podLabels: %s is what the Service selects by; choose another label" $name $label) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "listen-gateway.checkDrain" -}}
{{- $delay := include "listen-gateway.number" (list . "drain" "delayMs" 0) | int64 -}}
{{- if lt $delay 5000 -}}
{{- fail (printf "config.drain.delayMs: %d is too little, proxies and load balancers hear later that a pod ends; set at least 5000, better 10000" $delay) -}}
{{- end -}}
{{- range list "listen" "admin" "publisher" -}}
{{- if eq (include "listen-gateway.number" (list $ . "port" 1)) "0" -}}
{{- fail (printf "config.%s.port: 0 takes any free port, which no Service and no probe would find; leave it out" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* 17 KiB for each stream, as measured, beside 110 MiB for the process: three quarters of what the pod may use. */}}
{{- define "listen-gateway.checkMemory" -}}
{{- $streams := include "listen-gateway.number" (list . "limits" "streamsPerInstance" 50000) | int64 -}}
{{- $limit := dig "limits" "memory" "" .Values.gateway.resources | toString -}}
{{- $unit := regexFind "[A-Za-z]*$" $limit -}}
{{- $bytes := dict "" 1 "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 -}}
{{- if and $limit (not (hasKey $bytes $unit)) -}}
{{- fail (printf "gateway.resources.limits.memory: %s has no known unit; use Mi or Gi" $limit) -}}
{{- else if $limit -}}
{{- $neededMi := add (div (mul (add 112640 (mul $streams 17)) 4) 3072) 1 -}}
{{- if lt (mulf (trimSuffix $unit $limit) (get $bytes $unit)) (mulf $neededMi 1048576) -}}
{{- fail (printf "gateway.resources.limits.memory: %s is too little for %d streams; set at least %dMi, or lower config.limits.streamsPerInstance" $limit $streams $neededMi) -}}
{{- end -}}
{{- end -}}
{{- end -}}
