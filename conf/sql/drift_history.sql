-- Distance of live from the reference policy's ideal over time, for a line chart per group.
CREATE OR REPLACE VIEW drift_history AS
SELECT
  cluster,
  group_id,
  event_time,
  generation,
  policy,
  partition_count,
  drift_count,
  drift_share,
  moves_to_fairest,
  balance_score,
  min_load,
  max_load,
  lag
FROM drift
WHERE reference
ORDER BY cluster, group_id, event_time
