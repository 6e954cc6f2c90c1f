-- What replicas got from Slack and from forges, until the leader has taken it, and the leader's answers.
-- A body is JSON as it came, in a column of text: jsonb accepts no \u0000.

create table triage.deliveries (
    id bigint generated always as identity primary key,
    event_id text not null unique,
    origin text not null,
    kind text not null,
    body text not null,
    received_at timestamptz not null default clock_timestamp(),
    taken_at timestamptz
);

create index deliveries_waiting on triage.deliveries (id) where taken_at is null;
create index deliveries_taken on triage.deliveries (taken_at);

create table triage.answers (
    delivery_id bigint primary key,
    content text not null,
    at timestamptz not null default clock_timestamp()
);
