-- Owner of each partition at the last settled generation: live, before, and under the reference
-- policy. The other views of one group build on it.
CREATE OR REPLACE VIEW current_assignments AS
SELECT a.cluster, a.group_id, a.generation, a.topic, a.partition, a.member_id, a.previous_member_id,
  a.ideal_member_id
FROM assignments AS a
JOIN (
  SELECT cluster, group_id, max(event_time) AS event_time
  FROM assignments
  GROUP BY cluster, group_id
) AS last
  ON last.cluster = a.cluster AND last.group_id = a.group_id AND last.event_time = a.event_time
JOIN group_state AS s
  ON s.cluster = a.cluster AND s.group_id = a.group_id AND s.generation = a.generation
