-- Settled rebalances per quarter of an hour and cluster, for a bar chart: wasteful are those with
-- avoidable moves.
CREATE OR REPLACE VIEW rebalance_timeline AS
SELECT
  cluster,
  window(event_time, '15 minutes').start AS start_time,
  count(*) AS rebalances,
  count_if(avoidable_churn > 0) AS wasteful,
  count(DISTINCT group_id) AS groups,
  sum(churn) AS churn,
  sum(avoidable_churn) AS avoidable_churn
FROM rebalances
WHERE settled
GROUP BY cluster, window(event_time, '15 minutes')
ORDER BY start_time, cluster
