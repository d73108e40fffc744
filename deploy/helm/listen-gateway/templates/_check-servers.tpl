{{/* What the gateway would say of its servers at its start, and then end. */}}
{{- define "listen-gateway.checkServers" -}}
{{- $settings := fromYaml (include "listen-gateway.settings" .) -}}
{{- $known := list -}}
{{- range .Values.gateway.extraEnv -}}
{{- $known = append $known .name -}}
{{- end -}}
{{- $public := or (dig "http" "publicUrl" "" $settings) (has "LG_HTTP__PUBLIC_URL" $known) -}}
{{- range $id, $server := default dict $settings.servers -}}
{{- $at := printf "config.servers.%s" $id -}}
{{- $upstream := default dict (default dict $server).upstream -}}
{{- $auth := default dict (default dict $server).auth -}}
{{- if and $auth (not $auth.audience) (not $public) -}}
{{- fail (printf "%s.auth.audience: is needed where config.http.publicUrl is not set: tokens must be made for this server" $at) -}}
{{- end -}}
{{- if eq (toString $upstream.authorization) "replace" -}}
{{- include "listen-gateway.checkCredential" (list $known (printf "%s.upstream.credentialVariable" $at) $upstream.credentialVariable) -}}
{{- end -}}
{{- with (default dict $auth.authorizer).credentialVariable -}}
{{- include "listen-gateway.checkCredential" (list $known (printf "%s.auth.authorizer.credentialVariable" $at) .) -}}
{{- end -}}
{{- range $index, $issuer := $auth.issuers -}}
{{- with $issuer.introspection -}}
{{- include "listen-gateway.checkCredential" (list $known (printf "%s.auth.issuers.%d.introspection.clientSecretVariable" $at $index) .clientSecretVariable) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* (list <names in gateway.extraEnv> <setting> <the variable that it names>) */}}
{{- define "listen-gateway.checkCredential" -}}
{{- $variable := default "" (last .) -}}
{{- if not $variable -}}
{{- fail (printf "%s: is needed; name a variable of gateway.extraEnv" (index . 1)) -}}
{{- else if not (or (has $variable (first .)) (has (printf "%s_FILE" $variable) (first .))) -}}
{{- fail (printf "%s: names the variable %s, which gateway.extraEnv does not have; add it there from a Secret" (index . 1) $variable) -}}
{{- end -}}
{{- end -}}
