-- The version of the last leader's program: an older one does not lead after it, since it may not read what was saved.

alter table triage.leadership add column program integer[] not null default '{}';
