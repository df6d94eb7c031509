-- From here on the links of the audit log are keyed: hash = HMAC-SHA-256(key, previous hash || entry text), with a key
-- that is derived from a data key. Entries from before have no key and a plain SHA-256; the first keyed entry of
-- each chain (`audit.key`) binds them.
alter table audit_entry add column key_id integer;

-- Whether a data key also keys the audit log. It is part of what the sealed key is bound to, so it cannot be changed
-- behind Vigil's back.
alter table data_key add column keys_audit boolean not null default false;
