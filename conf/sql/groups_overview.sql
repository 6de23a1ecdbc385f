-- The groups, worst first, as the dashboard's overview ranks them: level 4 critical, 3 warning,
-- 2 notice, 1 well, 0 idle. Needs the view open_alerts.
CREATE OR REPLACE VIEW groups_overview AS
WITH activity AS (
  SELECT
    cluster,
    group_id,
    count_if(event_time >= current_timestamp() - INTERVAL 1 HOUR) AS rebalances_last_hour,
    count(*) AS rebalances_last_day,
    sum(churn) AS churn_last_day,
    sum(avoidable_churn) AS avoidable_churn_last_day
  FROM rebalances
  WHERE settled AND event_time >= current_timestamp() - INTERVAL 24 HOURS
  GROUP BY cluster, group_id
),
alerted AS (
  SELECT
    cluster,
    group_id,
    max(CASE severity WHEN 'critical' THEN 4 WHEN 'info' THEN 2 ELSE 3 END) AS level
  FROM open_alerts
  GROUP BY cluster, group_id
),
known AS (
  SELECT
    s.*,
    coalesce(a.rebalances_last_hour, 0) AS rebalances_within_hour,
    coalesce(a.rebalances_last_day, 0) AS rebalances_last_day,
    coalesce(a.churn_last_day, 0) AS churn_last_day,
    coalesce(a.avoidable_churn_last_day, 0) AS avoidable_churn_last_day,
    coalesce(o.level, 0) AS alert_level
  FROM group_state AS s
  LEFT JOIN activity AS a ON a.cluster = s.cluster AND a.group_id = s.group_id
  LEFT JOIN alerted AS o ON o.cluster = s.cluster AND o.group_id = s.group_id
),
judged AS (
  SELECT
    *,
    greatest(
      alert_level,
      CASE
        WHEN member_count > 0 AND unassigned_count > 0 THEN 4
        WHEN state = 'unsettled' THEN 4
        WHEN member_count > 0 AND lag > 0
          AND last_commit_time < event_time - INTERVAL 10 MINUTES THEN 4
        WHEN rebalances_within_hour > 6 THEN 3
        WHEN member_count > 0 AND NOT fair THEN 3
        WHEN join_violations > 0 AND policy IN ('stream-join-sticky', 'optimal-join') THEN 3
        WHEN fair AND moves_to_fairest > coalesce(unassigned_count, 0) THEN 2
        WHEN member_count > 1 AND topic_skew > 1.5 THEN 2
        WHEN member_count = 0 AND lag > 0 THEN 2
        WHEN member_count > 0 THEN 1
        ELSE 0
      END
    ) AS level
  FROM known
)
SELECT
  cluster,
  group_id,
  level,
  CASE level
    WHEN 4 THEN 'critical' WHEN 3 THEN 'warning' WHEN 2 THEN 'notice' WHEN 1 THEN 'ok' ELSE 'idle'
  END AS level_name,
  state,
  assignor,
  member_count,
  partition_count,
  drift_count,
  drift_share,
  moves_to_fairest,
  unassigned_count,
  min_load,
  max_load,
  topic_skew,
  rebalances_within_hour AS rebalances_last_hour,
  rebalances_last_day,
  churn_last_day,
  avoidable_churn_last_day,
  lag,
  settled_time
FROM judged
ORDER BY
  level DESC,
  coalesce(unassigned_count, 0) / greatest(partition_count, 1) DESC,
  coalesce(moves_to_fairest, 0) / greatest(partition_count, 1) DESC,
  avoidable_churn_last_day DESC,
  rebalances_within_hour DESC,
  coalesce(lag, 0) DESC,
  group_id
