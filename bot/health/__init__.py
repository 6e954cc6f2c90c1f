"""Health: checks of services, incidents, and runbooks by consent."""
