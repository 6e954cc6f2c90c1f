-- Investigations as jobs. The queue itself is that of procrastinate, in the schema `procrastinate`; here is what a job
-- is about, what it has cost, and its result. All texts are JSON as in 0003.

create table triage.queue_migrations (
    name text primary key,
    applied_at timestamptz not null default clock_timestamp()
);

comment on table triage.queue_migrations is 'the migrations of procrastinate that are applied';

create table triage.jobs (
    job_id bigint primary key,
    run_key text collate "C" not null unique,
    kind text not null,
    thread_id text collate "C" not null,
    session_id text not null,
    content text not null,
    attempt integer not null default 0,
    outcome text,
    result text,
    deferred_at timestamptz not null default clock_timestamp(),
    started_at timestamptz,
    ended_at timestamptz,
    settled_at timestamptz
);

comment on column triage.jobs.job_id is 'the row in procrastinate.procrastinate_jobs';
comment on column triage.jobs.attempt is 'how often it was claimed: only the worker of the last claim may save';

create index jobs_unsettled on triage.jobs (job_id) where settled_at is null;
create index jobs_of_threads on triage.jobs (thread_id);

-- What each attempt has cost, saved before each call of the model and after its run.
create table triage.job_sessions (
    job_id bigint not null references triage.jobs on delete cascade,
    attempt integer not null,
    content text not null,
    primary key (job_id, attempt)
);
