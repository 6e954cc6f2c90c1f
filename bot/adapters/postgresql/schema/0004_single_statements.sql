-- Transactions of one statement, in one message: it checks the epoch and leaves its number itself. When its connection
-- broke and its number is not there, the row is closed, so that a statement still on its way cannot come after that.

create function triage.checked(e bigint, number bigint) returns bigint language plpgsql volatile as $$
begin
    perform triage.check_epoch(e);
    return number;
end $$;

alter table triage.connections
    add column closed_at bigint,
    add constraint connections_closed check (closed_at is null or last_commit <= closed_at);
