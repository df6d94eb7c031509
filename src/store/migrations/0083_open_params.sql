-- The parameters that bindings may fill where the wallet asks for approvals, each with its bounds.
alter table action add column open_params jsonb not null default '[]';
