"""Settings: a TOML file, environment variables over it, flags over those; and Kafka's own file."""
