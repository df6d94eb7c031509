-- Labels of the base list that Vigil ships. A label that was changed or deleted since `written_at` belongs to who did that: no
-- later version of the list touches it.
create table base_label (
  label_id bigint primary key references address_label (id) on delete cascade,
  -- `updated_at` of the label as the list wrote it.
  written_at bigint not null
);

-- The version of the list that is published; at most one row.
create table base_label_list (
  id smallint primary key default 1 check (id = 1),
  version text not null,
  published_at bigint not null
);
