-- What one home has in its files. JSON is in columns of text, exactly as it was written: json and jsonb accept neither
-- every \u0000 nor half of a surrogate pair, which messages of Slack may contain.

create table triage.threads (
    thread_id text collate "C" primary key,
    version bigint not null,
    is_closed boolean not null,
    last_event_at timestamptz not null,
    summary_rule integer not null,
    summary text,
    body text not null
);

comment on column triage.threads.summary is 'what is needed of a closed thread without outstanding work, if body is not';

create index threads_closed on triage.threads (last_event_at, thread_id) where is_closed;

create table triage.journal_records (
    journal text collate "C" not null,
    id bigint generated always as identity,
    at timestamptz,
    record text not null,
    primary key (journal, id)
);

create index journal_records_by_time on triage.journal_records (journal, at, id);

create table triage.states (
    name text collate "C" primary key,
    content text not null,
    written_at timestamptz not null default clock_timestamp()
);

-- What does not parse, out of the way.
create table triage.quarantine (
    id bigint generated always as identity primary key,
    name text not null,
    content text not null,
    at timestamptz not null default clock_timestamp()
);

create table triage.sessions (
    session_id text collate "C" primary key,
    content text not null
);

create table triage.conversations (
    conversation text collate "C" primary key,
    saved_at timestamptz not null,
    content text not null
);

create table triage.task_records (
    task text collate "C" not null,
    name text collate "C" not null,
    content bytea not null,
    changed_at timestamptz not null default clock_timestamp(),
    primary key (task, name)
);

create table triage.task_lines (
    task text collate "C" not null,
    name text collate "C" not null,
    id bigint generated always as identity,
    line bytea not null,
    at timestamptz not null default clock_timestamp(),
    primary key (task, name, id)
);

create table triage.notes (
    project text collate "C" not null,
    name text collate "C" not null,
    content bytea not null,
    previous bytea,
    changed_at timestamptz not null default clock_timestamp(),
    primary key (project, name)
);
