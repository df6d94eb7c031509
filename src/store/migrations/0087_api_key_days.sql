-- How long a new API key may live; those that exist keep what they have.
alter table plan add column api_key_days integer not null default 365;
