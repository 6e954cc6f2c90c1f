"""Runtime support of a long-running process: workers, scheduling, retries and files."""
