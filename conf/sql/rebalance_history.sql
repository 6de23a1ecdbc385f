-- Each rebalance with its cause, who set it off, and what was avoidable; one that settled late has
-- replaced the row written before it settled.
CREATE OR REPLACE VIEW rebalance_history AS
SELECT
  cluster,
  group_id,
  event_time,
  generation,
  settled,
  protocol,
  assignor,
  cause,
  array_join(
    transform(joined, m -> coalesce(m.instance_id, concat(m.client_id, ' at ', m.client_host))), ', '
  ) AS joined,
  array_join(
    transform(left, m -> coalesce(m.instance_id, concat(m.client_id, ' at ', m.client_host))), ', '
  ) AS left,
  churn,
  necessary_churn,
  avoidable_churn,
  revoked,
  duration_seconds,
  size(phase_generations) AS phases
FROM (
  SELECT
    *,
    row_number() OVER (
      PARTITION BY cluster, group_id, generation, date_trunc('DAY', started_time)
      ORDER BY settled DESC, event_time DESC
    ) AS place
  FROM rebalances
)
WHERE place = 1
ORDER BY event_time DESC, cluster, group_id
