-- How many jobs each of procrastinate's workers does at the same time.

create table triage.worker_seats (
    worker_id bigint primary key,
    seats integer not null
);
