{{- define "vigil.labels" -}}
app.kubernetes.io/name: vigil
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "vigil.selector" -}}
app.kubernetes.io/name: vigil
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "vigil.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "vigil.require" -}}
{{- if not .Values.database.secretName }}
{{- fail "\nSet database.secretName to a secret with the address of your PostgreSQL. Make one:\n  kubectl create secret generic vigil-database --from-literal=url='postgres://vigil:PASSWORD@HOST:5432/vigil'" }}
{{- end }}
{{- if not .Values.masterKey.secretName }}
{{- fail "\nSet masterKey.secretName to a secret with the key that seals all secrets of Vigil. Make one, and keep a copy where the database's backup is not:\n  kubectl create secret generic vigil-master-key --from-literal=key=\"$(openssl rand -base64 32)\"" }}
{{- end }}
{{- if not .Values.adminToken.secretName }}
{{- fail "\nSet adminToken.secretName to a secret with the first administrator's token. Make one:\n  kubectl create secret generic vigil-admin-token --from-literal=token=\"$(openssl rand -hex 32)\"" }}
{{- end }}
{{- end }}

{{/* Settings of every process. */}}
{{- define "vigil.env" -}}
- name: DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ .Values.database.secretName | quote }}, key: {{ .Values.database.secretKey | quote }} } }
{{- with .Values.database.ownerKey }}
- name: DATABASE_OWNER_URL
  valueFrom: { secretKeyRef: { name: {{ $.Values.database.secretName | quote }}, key: {{ . | quote }} } }
{{- end }}
- name: VIGIL_MASTER_KEY
  valueFrom: { secretKeyRef: { name: {{ .Values.masterKey.secretName | quote }}, key: {{ .Values.masterKey.secretKey | quote }} } }
- name: VIGIL_ADMIN_TOKEN
  valueFrom: { secretKeyRef: { name: {{ .Values.adminToken.secretName | quote }}, key: {{ .Values.adminToken.secretKey | quote }} } }
{{- with .Values.publicUrl }}
- name: VIGIL_PUBLIC_URL
  value: {{ . | quote }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- range $name, $secret := .Values.secretSettings }}
- name: {{ $name }}
  valueFrom: { secretKeyRef: { name: {{ $secret.secretName | quote }}, key: {{ $secret.secretKey | quote }} } }
{{- end }}
{{- end }}

{{- define "vigil.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "vigil.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* Vigil keeps everything in PostgreSQL; these folders end with the pod. */}}
{{- define "vigil.volumes" -}}
- name: data
  emptyDir: {}
- name: tmp
  emptyDir: {}
{{- end }}

{{- define "vigil.mounts" -}}
- name: data
  mountPath: /var/lib/vigil
- name: tmp
  mountPath: /tmp
{{- end }}
