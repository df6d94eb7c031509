-- Rows live for milliseconds, in which compressing them would be a tenth of what the coordinator does for an alert.
alter table group_write alter column writes set storage external;
