-- The lease of the leader, the check that refuses writes of an earlier one, and proofs of commits.

create table triage.leadership (
    is_only boolean primary key default true check (is_only),
    epoch bigint not null default 0,
    holder text not null default '',
    beat_at timestamptz not null default '-infinity'
);

insert into triage.leadership default values;

-- Raises TF001 unless e is the epoch of the present lease. A take-over has the lock alone, so it waits for the
-- transactions that were let in before; e is null for writes that any process may make.
create function triage.check_epoch(e bigint) returns void language plpgsql volatile as $$
begin
    if e is null then
        return;
    end if;
    perform pg_advisory_xact_lock_shared(7245501);
    if e <> (select epoch from triage.leadership) then
        raise exception 'another replica leads' using errcode = 'TF001';
    end if;
end $$;

-- The number of the last transaction of each connection, by which a process whose connection broke during a commit
-- learns whether it was committed.
create table triage.connections (
    connection_id bigint primary key,
    last_commit bigint not null,
    at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
