-- Lag by group and topic, and the partition furthest behind.
CREATE OR REPLACE VIEW group_lag AS
SELECT
  cluster,
  group_id,
  topic,
  count(*) AS partitions,
  sum(lag) AS lag,
  max(lag) AS max_lag,
  max_by(partition, lag) AS worst_partition,
  max(time_lag_seconds) AS time_lag_seconds,
  max(commit_time) AS last_commit_time
FROM offsets
GROUP BY cluster, group_id, topic
ORDER BY lag DESC, cluster, group_id, topic
