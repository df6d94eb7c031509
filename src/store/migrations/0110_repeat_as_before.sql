-- Detectors that exist keep reporting as they did: conditions that hold at every look, and no condition when it ends. Conditions on
-- a change are reported for each change as ever. What is pushed from outside has a configuration of its own.
with asked as (
  select d.tenant_id, d.id, s.name, coalesce(d.config ->> 'script', '') as script,
    coalesce(d.config ->> 'condition',
      case s.name when 'proof_of_reserves' then '<< 1' when 'holder_concentration' then '>> 50' else '' end) as condition
  from detector d join detector_schema s on s.id = d.schema_id
  where d.source <> 'EXTERNAL' and s.name in
    ('contract_call', 'holder_concentration', 'invariant', 'price_monitor', 'proof_of_reserves', 'wallet_balance')
)
update detector d
set config = d.config || case
  when a.name = 'invariant' or a.condition ~ '^\s*(>>|<<)' then '{"reportEnd": false}'::jsonb
  else '{"repeat": "every look", "reportEnd": false}'::jsonb end
from asked a
where a.tenant_id = d.tenant_id and a.id = d.id and (a.name = 'invariant' or (
  (a.condition <> '' or a.script <> '') and a.script not like '%revious%' and a.condition !~ '^\s*(\+\+|--)|%\s*$'));
