"""What a group would look like under another policy, with other members, or more partitions."""
