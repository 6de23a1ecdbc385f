-- How many partitions each policy would have placed elsewhere, at the last settled generation.
CREATE OR REPLACE VIEW policy_comparison AS
SELECT cluster, group_id, generation, policy, reference, partition_count, drift_count, drift_share,
  balance_score, ideal_balance_score
FROM (
  SELECT
    *,
    row_number() OVER (PARTITION BY cluster, group_id, policy ORDER BY event_time DESC) AS place
  FROM drift
)
WHERE place = 1
ORDER BY cluster, group_id, reference DESC, policy
