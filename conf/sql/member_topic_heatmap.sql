-- Members by topics: partitions held now, and under the reference policy. Needs
-- current_assignments.
CREATE OR REPLACE VIEW member_topic_heatmap AS
WITH held AS (
  SELECT cluster, group_id, topic, member_id, 1 AS live, 0 AS ideal FROM current_assignments
  UNION ALL
  SELECT cluster, group_id, topic, ideal_member_id AS member_id, 0, 1 FROM current_assignments
)
SELECT cluster, group_id, member_id, topic, sum(live) AS partitions, sum(ideal) AS ideal_partitions
FROM held
WHERE member_id IS NOT NULL
GROUP BY cluster, group_id, member_id, topic
ORDER BY cluster, group_id, member_id, topic
