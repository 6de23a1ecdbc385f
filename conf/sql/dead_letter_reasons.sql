-- Records that could not be read, by reason.
CREATE OR REPLACE VIEW dead_letter_reasons AS
SELECT
  cluster,
  reason,
  count(*) AS records,
  min(event_time) AS first_time,
  max(event_time) AS last_time,
  first(detail) AS example
FROM dead_letters
GROUP BY cluster, reason
ORDER BY records DESC, reason
