"""Pairs of questions: asked twice, or near misses that need another answer. For `test_alike` and `measure/alike.py`."""

from __future__ import annotations

SAME = (
    ("how often is a payment tried again?", "How often is a payment tried again"),
    ("where is the debounce window set?", "Where is the debounce window set?"),
    ("where is the debounce window set?", "hi all, does anyone know where the debounce window is set?"),
    ("how do I rotate the signing key of the gateway?", "How do we rotate the gateway's signing key?"),
    ("how often is a failed payment retried?", "How often are failed payments retried?"),
    ("why does the checkout test fail on CI?", "Why is the checkout test failing on CI?"),
    ("how long are audit logs kept?", "how long do we keep audit logs?"),
    ("what does `retry_limit` do in orders?", "What does `retry_limit` do in orders please?"),
    ("which service sends the invoice mails?", "Which service is sending invoice mails?"),
    ("how do I get access to the staging database?", "How can I get access to the staging database? thanks!"),
    ("does the exporter support csv with 2 million rows?", "Does the exporter support CSV with 2 million rows"),
    ("what happens when a webhook delivery times out?", "so what happens when a webhook delivery times out"),
    ("who owns the billing reconciliation job?", "hey, who owns the billing reconciliation job nowadays?"),
    ("how do I migrate from mysql to postgres?", "How should we migrate from MySQL to Postgres?"),
    ("is the rate limit per user or per token?", "Is the rate limit per user or per token, do you know?"),
    ("wo wird das Zeitlimit der Warteschlange gesetzt?", "Wo wird das Zeitlimit der Warteschlange gesetzt"),
    ("可以在哪里设置重试次数", "可以在哪里设置重试次数?"),
    ("how do I run the integration tests locally?", "how do I run integration tests locally?"),
    (
        "how do I rotate the signing key of the gateway without dropping open customer sessions?",
        "Our auditor asks: how do I rotate the signing key of the gateway without dropping open customer sessions?",
    ),
    (
        "how long does the operator have to approve a draft until its card expires and leaves the queue?",
        "how long does an operator have to approve the draft until the card expires and leaves the queue, roughly put?",
    ),
    (
        "which file defines the order of the middlewares of the http server?",
        "which file sets the order of the middlewares of the http server?",
    ),
    ("how do the two workers share the lock?", "how do the 2 workers share the lock?"),
    ("where are refund deadlines calculated in shop?", "Where do we calculate refund deadlines in shop?"),
)

OTHER = (
    # another number, version, amount
    ("how do I upgrade the client to 2.3?", "how do I upgrade the client to 2.4?"),
    ("is python 3.11 supported by the worker image?", "is python 3.12 supported by the worker image?"),
    ("why does job 4711 hang in the queue?", "why does job 4712 hang in the queue?"),
    ("does the v1 api return refunds?", "does the v2 api return refunds?"),
    ("why is error E1042 raised at login?", "why is error E1043 raised at login?"),
    ("how do two workers share the lock?", "how do three workers share the lock?"),
    ("is the job run once or twice a day?", "is the job run three times a day?"),
    # one word of many
    (
        "how do I rotate the credentials of the redis cluster in the payments service when pods restart in a rollout?",
        "how do I rotate the credentials of the mysql cluster in the payments service when pods restart in a rollout?",
    ),
    (
        "where can I find the dashboard that shows latency of the checkout service by customer region and provider?",
        "where can I find the dashboard that shows latency of the billing service by customer region and provider?",
    ),
    (
        "why does the android app crash when a user scans a coupon code in the shopping basket screen after login?",
        "why does the ios app crash when a user scans a coupon code in the shopping basket screen after login?",
    ),
    # a name that only one has
    ("why does the MySQL connection pool run dry so often?", "why does the connection pool run dry so often?"),
    # another environment
    ("how do I deploy the portal to staging?", "how do I deploy the portal to production?"),
    ("what is the connection limit of the database in prod?", "what is the connection limit of the database in dev?"),
    ("where does the gateway log on staging?", "where does the gateway log?"),
    # a negation, an opposite
    ("why does the checkout retry failed payments?", "why does the checkout not retry failed payments?"),
    ("why are failed payments retried?", "why aren't failed payments retried?"),
    ("how do I enable the new search index for a tenant?", "how do I disable the new search index for a tenant?"),
    ("what is the minimum size of the worker pool?", "what is the maximum size of the worker pool?"),
    ("what runs before a deploy of the portal?", "what runs after a deploy of the portal?"),
    ("can a guest upload files to the shared folder?", "can a guest download files from the shared folder?"),
    ("how do I add a user to the billing group?", "how do I remove a user from the billing group?"),
    # another direction
    ("how do I migrate from mysql to postgres?", "how do I migrate from postgres to mysql?"),
    ("does the api call the worker?", "does the worker call the api?"),
    ("how is money moved from escrow to the merchant?", "how is money moved from the merchant to escrow?"),
    # another kind of question
    ("where is the debounce window set?", "why is the debounce window set?"),
    ("how do audit logs get deleted?", "when do audit logs get deleted?"),
    ("who approves a refund?", "how does somebody approve a refund?"),
    # another thing
    ("where is the retry limit of payments set?", "where is the retry limit of webhooks set?"),
    ("what does `retry_limit` do in orders?", "what does `retry_delay` do in orders?"),
    ("what does MAX_ROWS mean for the exporter?", "what does MAX_COLS mean for the exporter?"),
    ("how do I configure orders.py for the shop?", "how do I configure refunds.py for the shop?"),
    ("how do I reset the password of a user account?", "how do I reset the password of a service account?"),
    ("how do I reset the password of a user?", "how do I reset the password of a user on mobile?"),
    ("which team owns the ledger service?", "which team owns the invoice service?"),
    ("where is the timeout set? project:api", "where is the timeout set? project:web"),
    ("why does https://ci.example/1 fail with a lock error?", "why does https://ci.example/2 fail with a lock error?"),
    ("what is the default of --jobs in the runner?", "what is the default of --retries in the runner?"),
    (
        "how do I rotate the signing key of the gateway without dropping open customer sessions?",
        "how do I rotate the signing key of the gateway without dropping open merchant sessions?",
    ),
    (
        "what happens to a draft when its operator leaves the workspace for good?",
        "what happens to a card when its operator leaves the workspace for good?",
    ),
    (
        "how do I give a new colleague access to the billing dashboard?",
        "how do I give a new colleague access to the billing dashboard on mobile?",
    ),
    # too little, or outside the text
    ("help please", "help please"),
    ("can somebody look at this?", "can somebody look at this?"),
    ("why does this deploy fail with a timeout?", "why does this deploy fail with a timeout?"),
    ("is the portal slow today for customers?", "is the portal slow today for customers?"),
    (
        "what is wrong in the attached screenshot of the portal?",
        "what is wrong in the attached screenshot of the portal?",
    ),
    ("any news?", "any news?"),
    ("how often is a payment tried again?", "how often is a refund tried again?"),
)
