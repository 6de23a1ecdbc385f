-- Partitions whose live owner is not the one that the reference policy would have given them.
-- Needs current_assignments.
CREATE OR REPLACE VIEW moves_to_ideal AS
SELECT cluster, group_id, topic, partition, member_id AS from_member, ideal_member_id AS to_member
FROM current_assignments
WHERE NOT member_id <=> ideal_member_id
ORDER BY cluster, group_id, topic, partition
