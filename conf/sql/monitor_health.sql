-- Whether the monitor keeps up: the last batch of each cluster. silent_seconds grows when it is
-- stopped, behind_seconds when it cannot follow.
CREATE OR REPLACE VIEW monitor_health AS
SELECT
  cluster,
  batch_id,
  event_time AS last_batch_time,
  timestampdiff(SECOND, event_time, current_timestamp()) AS silent_seconds,
  behind_seconds,
  behind_records,
  seconds,
  records_read,
  groups_total
FROM (
  SELECT *, row_number() OVER (PARTITION BY cluster ORDER BY event_time DESC) AS place
  FROM batches
)
WHERE place = 1
