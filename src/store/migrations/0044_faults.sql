-- To list what needs attention of one tenant.
create index deferred_evaluation_tenant on deferred_evaluation (tenant_id, kind, id);
create index action_intent_attention on action_intent (tenant_id, updated_at)
  where state in ('WAITING', 'SIGNED', 'SUBMITTED', 'FAILED');
