"""What has happened, durably: one SQLite file. The only place that holds SQL."""
