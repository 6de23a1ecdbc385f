-- Load of each member at its group's last settled generation, live and ideal, with its lag.
CREATE OR REPLACE VIEW member_loads AS
SELECT m.cluster, m.group_id, m.member_id, m.instance_id, m.client_id, m.client_host,
  m.partition_count, m.ideal_partition_count, m.gained_count, m.lost_count, m.lag
FROM member_load AS m
JOIN (
  SELECT cluster, group_id, max(event_time) AS event_time
  FROM member_load
  GROUP BY cluster, group_id
) AS last
  ON last.cluster = m.cluster AND last.group_id = m.group_id AND last.event_time = m.event_time
JOIN group_state AS s
  ON s.cluster = m.cluster AND s.group_id = m.group_id AND s.generation = m.generation
ORDER BY m.cluster, m.group_id, m.partition_count DESC, m.member_id
